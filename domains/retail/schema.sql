-- The toy store. Money is in integer cents; an order holds one row per item, with a quantity, so
-- no position is stored and none can be compared.

CREATE TABLE customers (
  user_id TEXT PRIMARY KEY CHECK (user_id GLOB '[a-z]*_[a-z]*_[0-9]*'),
  first_name TEXT NOT NULL CHECK (first_name <> ''),
  last_name TEXT NOT NULL CHECK (last_name <> ''),
  email TEXT NOT NULL UNIQUE CHECK (email LIKE '%_@_%._%' AND email = lower(email)),
  address1 TEXT NOT NULL CHECK (address1 <> ''),
  address2 TEXT NOT NULL,
  city TEXT NOT NULL CHECK (city <> ''),
  state TEXT NOT NULL CHECK (state <> ''),
  country TEXT NOT NULL CHECK (country <> ''),
  zip TEXT NOT NULL CHECK (zip <> '')
) STRICT;

CREATE INDEX customers_by_zip ON customers (zip);

CREATE TABLE payment_methods (
  payment_method_id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES customers (user_id),
  source TEXT NOT NULL CHECK (source IN ('credit_card', 'gift_card', 'paypal')),
  brand TEXT CHECK (brand IN ('visa', 'mastercard')),
  last_four TEXT CHECK (last_four GLOB '[0-9][0-9][0-9][0-9]'),
  balance_cents INTEGER CHECK (balance_cents >= 0),
  CHECK (payment_method_id GLOB source || '_[0-9]*'),
  CHECK ((source = 'credit_card') = (brand IS NOT NULL)),
  CHECK ((source = 'credit_card') = (last_four IS NOT NULL)),
  CHECK ((source = 'gift_card') = (balance_cents IS NOT NULL))
) STRICT;

CREATE INDEX payment_methods_by_customer ON payment_methods (user_id);

CREATE TABLE products (
  product_id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name <> '')
) STRICT;

CREATE TABLE variants (
  item_id TEXT PRIMARY KEY,
  product_id TEXT NOT NULL REFERENCES products (product_id),
  price_cents INTEGER NOT NULL CHECK (price_cents > 0),
  available INTEGER NOT NULL CHECK (available IN (0, 1))
) STRICT;

CREATE INDEX variants_by_product ON variants (product_id);

CREATE TABLE variant_options (
  item_id TEXT NOT NULL REFERENCES variants (item_id),
  name TEXT NOT NULL CHECK (name <> ''),
  value TEXT NOT NULL CHECK (value <> ''),
  PRIMARY KEY (item_id, name)
) STRICT;

CREATE TABLE orders (
  order_id TEXT PRIMARY KEY CHECK (order_id GLOB '#W[0-9]*'),
  user_id TEXT NOT NULL REFERENCES customers (user_id),
  status TEXT NOT NULL CHECK (status IN (
    'pending', 'pending (item modified)', 'processed', 'delivered', 'cancelled',
    'return requested', 'exchange requested')),
  address1 TEXT NOT NULL CHECK (address1 <> ''),
  address2 TEXT NOT NULL,
  city TEXT NOT NULL CHECK (city <> ''),
  state TEXT NOT NULL CHECK (state <> ''),
  country TEXT NOT NULL CHECK (country <> ''),
  zip TEXT NOT NULL CHECK (zip <> ''),
  cancel_reason TEXT CHECK (cancel_reason IN ('no longer needed', 'ordered by mistake')),
  return_payment_method_id TEXT REFERENCES payment_methods (payment_method_id),
  exchange_payment_method_id TEXT REFERENCES payment_methods (payment_method_id),
  exchange_price_difference_cents INTEGER,
  CHECK ((status = 'cancelled') = (cancel_reason IS NOT NULL)),
  CHECK ((status = 'return requested') = (return_payment_method_id IS NOT NULL)),
  CHECK ((status = 'exchange requested') = (exchange_payment_method_id IS NOT NULL)),
  CHECK ((status = 'exchange requested') = (exchange_price_difference_cents IS NOT NULL))
) STRICT;

CREATE INDEX orders_by_customer ON orders (user_id);

CREATE TABLE shipments (
  tracking_id TEXT PRIMARY KEY,
  order_id TEXT NOT NULL REFERENCES orders (order_id)
) STRICT;

CREATE INDEX shipments_by_order ON shipments (order_id);

-- price_cents is the price paid for one piece; the price of today is in variants.
CREATE TABLE order_items (
  order_id TEXT NOT NULL REFERENCES orders (order_id),
  item_id TEXT NOT NULL REFERENCES variants (item_id),
  quantity INTEGER NOT NULL CHECK (quantity > 0),
  price_cents INTEGER NOT NULL CHECK (price_cents > 0),
  tracking_id TEXT REFERENCES shipments (tracking_id),
  PRIMARY KEY (order_id, item_id)
) STRICT;

-- What is to come back from a delivered order ('return', 'exchange') and what is to go out for it.
CREATE TABLE requested_items (
  order_id TEXT NOT NULL REFERENCES orders (order_id),
  role TEXT NOT NULL CHECK (role IN ('return', 'exchange', 'replacement')),
  item_id TEXT NOT NULL REFERENCES variants (item_id),
  quantity INTEGER NOT NULL CHECK (quantity > 0),
  PRIMARY KEY (order_id, role, item_id)
) STRICT;

CREATE TABLE payments (
  payment_id TEXT PRIMARY KEY,
  order_id TEXT NOT NULL REFERENCES orders (order_id),
  transaction_type TEXT NOT NULL CHECK (transaction_type IN ('payment', 'refund')),
  amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),
  payment_method_id TEXT NOT NULL REFERENCES payment_methods (payment_method_id)
) STRICT;

CREATE INDEX payments_by_order ON payments (order_id, payment_id);
