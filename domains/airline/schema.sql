-- The airline. Money is in integer cents, times are local to one time zone. A reservation holds one
-- row per flight and one per passenger; their order follows from dates and times, so no position
-- is stored and none can be compared.

CREATE TABLE airports (
  code TEXT PRIMARY KEY CHECK (code GLOB '[A-Z][A-Z][A-Z]'),
  city TEXT NOT NULL CHECK (city <> '')
) STRICT;

-- A flight number is one connection that is flown every day at the same times.
CREATE TABLE flights (
  flight_number TEXT PRIMARY KEY CHECK (flight_number GLOB '[A-Z][A-Z][A-Z][0-9][0-9][0-9]*'),
  origin TEXT NOT NULL REFERENCES airports (code),
  destination TEXT NOT NULL REFERENCES airports (code),
  departure TEXT NOT NULL CHECK (departure GLOB '[0-2][0-9]:[0-5][0-9]:00'),
  arrival TEXT NOT NULL CHECK (arrival GLOB '[0-2][0-9]:[0-5][0-9]:00'),
  arrival_day INTEGER NOT NULL CHECK (arrival_day IN (0, 1)),
  CHECK (origin <> destination)
) STRICT;

CREATE INDEX flights_by_route ON flights (origin, destination);
CREATE INDEX flights_by_destination ON flights (destination);

CREATE TABLE departures (
  flight_number TEXT NOT NULL REFERENCES flights (flight_number),
  date TEXT NOT NULL CHECK (date GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'),
  status TEXT NOT NULL CHECK (status IN (
    'available', 'on time', 'delayed', 'flying', 'landed', 'cancelled')),
  PRIMARY KEY (flight_number, date)
) STRICT, WITHOUT ROWID;

-- Seats that can still be sold, and what one costs today.
CREATE TABLE seats (
  flight_number TEXT NOT NULL,
  date TEXT NOT NULL,
  cabin TEXT NOT NULL CHECK (cabin IN ('basic_economy', 'economy', 'business')),
  available INTEGER NOT NULL CHECK (available >= 0),
  price_cents INTEGER NOT NULL CHECK (price_cents > 0),
  PRIMARY KEY (flight_number, date, cabin),
  FOREIGN KEY (flight_number, date) REFERENCES departures (flight_number, date)
) STRICT, WITHOUT ROWID;

CREATE TABLE customers (
  user_id TEXT PRIMARY KEY CHECK (user_id GLOB '[a-z]*_[a-z]*_[0-9]*'),
  first_name TEXT NOT NULL CHECK (first_name <> ''),
  last_name TEXT NOT NULL CHECK (last_name <> ''),
  dob TEXT NOT NULL CHECK (dob GLOB '[12][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'),
  email TEXT NOT NULL UNIQUE CHECK (email LIKE '%_@_%._%' AND email = lower(email)),
  address1 TEXT NOT NULL CHECK (address1 <> ''),
  address2 TEXT NOT NULL,
  city TEXT NOT NULL CHECK (city <> ''),
  state TEXT NOT NULL CHECK (state <> ''),
  country TEXT NOT NULL CHECK (country <> ''),
  zip TEXT NOT NULL CHECK (zip <> ''),
  membership TEXT NOT NULL CHECK (membership IN ('regular', 'silver', 'gold'))
) STRICT;

-- A certificate that has been used has nothing left; it stays here because payments name it.
CREATE TABLE payment_methods (
  payment_id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES customers (user_id),
  source TEXT NOT NULL CHECK (source IN ('credit_card', 'gift_card', 'certificate')),
  brand TEXT CHECK (brand IN ('visa', 'mastercard')),
  last_four TEXT CHECK (last_four GLOB '[0-9][0-9][0-9][0-9]'),
  balance_cents INTEGER CHECK (balance_cents >= 0),
  CHECK (payment_id GLOB source || '_[0-9]*'),
  CHECK ((source = 'credit_card') = (brand IS NOT NULL)),
  CHECK ((source = 'credit_card') = (last_four IS NOT NULL)),
  CHECK ((source = 'credit_card') = (balance_cents IS NULL))
) STRICT;

CREATE INDEX payment_methods_by_customer ON payment_methods (user_id);

CREATE TABLE saved_passengers (
  user_id TEXT NOT NULL REFERENCES customers (user_id),
  first_name TEXT NOT NULL CHECK (first_name <> ''),
  last_name TEXT NOT NULL CHECK (last_name <> ''),
  dob TEXT NOT NULL CHECK (dob GLOB '[12][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'),
  PRIMARY KEY (user_id, first_name, last_name, dob)
) STRICT;

CREATE TABLE reservations (
  reservation_id TEXT PRIMARY KEY CHECK (
    reservation_id GLOB '[A-Z0-9][A-Z0-9][A-Z0-9][A-Z0-9][A-Z0-9][A-Z0-9]'),
  user_id TEXT NOT NULL REFERENCES customers (user_id),
  origin TEXT NOT NULL REFERENCES airports (code),
  destination TEXT NOT NULL REFERENCES airports (code),
  flight_type TEXT NOT NULL CHECK (flight_type IN ('one_way', 'round_trip')),
  cabin TEXT NOT NULL CHECK (cabin IN ('basic_economy', 'economy', 'business')),
  status TEXT NOT NULL CHECK (status IN ('active', 'cancelled')),
  created_at TEXT NOT NULL CHECK (
    created_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]'),
  total_baggages INTEGER NOT NULL CHECK (total_baggages >= 0),
  nonfree_baggages INTEGER NOT NULL CHECK (nonfree_baggages BETWEEN 0 AND total_baggages),
  insurance TEXT NOT NULL CHECK (insurance IN ('yes', 'no')),
  CHECK (origin <> destination)
) STRICT;

CREATE INDEX reservations_by_customer ON reservations (user_id);

-- price_cents is the fare paid for one passenger on this flight; today's fare is in seats.
CREATE TABLE reservation_flights (
  reservation_id TEXT NOT NULL REFERENCES reservations (reservation_id),
  flight_number TEXT NOT NULL,
  date TEXT NOT NULL,
  price_cents INTEGER NOT NULL CHECK (price_cents > 0),
  PRIMARY KEY (reservation_id, flight_number, date),
  FOREIGN KEY (flight_number, date) REFERENCES departures (flight_number, date)
) STRICT, WITHOUT ROWID;

CREATE TABLE reservation_passengers (
  reservation_id TEXT NOT NULL REFERENCES reservations (reservation_id),
  first_name TEXT NOT NULL CHECK (first_name <> ''),
  last_name TEXT NOT NULL CHECK (last_name <> ''),
  dob TEXT NOT NULL CHECK (dob GLOB '[12][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'),
  PRIMARY KEY (reservation_id, first_name, last_name, dob)
) STRICT, WITHOUT ROWID;

-- Positive amounts were charged, negative ones given back.
CREATE TABLE payments (
  entry_id TEXT PRIMARY KEY,
  reservation_id TEXT NOT NULL REFERENCES reservations (reservation_id),
  payment_id TEXT NOT NULL REFERENCES payment_methods (payment_id),
  amount_cents INTEGER NOT NULL CHECK (amount_cents <> 0)
) STRICT;

CREATE INDEX payments_by_reservation ON payments (reservation_id, entry_id);
