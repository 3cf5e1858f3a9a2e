"""The airline: customers with memberships, a month of flights, reservations, fourteen tools."""

from tau_env import content
from tau_env.domains.airline.laws import LAWS
from tau_env.domains.airline.lexicon import build_lexicon
from tau_env.domains.airline.policy import IDENTITY, RULES
from tau_env.domains.airline.seed import build
from tau_env.domains.airline.tools import FUNCTIONS
from tau_env.world.company import Domain

DOMAIN = Domain(
    name="airline",
    version=1,
    now="2025-06-12T15:00:00",
    schema=content.domain_text("airline", "schema.sql"),
    build=build,
    functions=FUNCTIONS,
    policy=content.policy("airline"),
    rulebook=RULES,
    lexicon=build_lexicon(),
    identity=IDENTITY,
    customers="customers.user_id",
    generated={
        "payments": "entry_id",
        "payment_methods": "payment_id",
        "reservations": "reservation_id",
    },
    references={
        "flights.origin": "airports",
        "flights.destination": "airports",
        "departures.flight_number": "flights",
        "seats.flight_number": "flights",
        "payment_methods.user_id": "customers",
        "saved_passengers.user_id": "customers",
        "reservations.user_id": "customers",
        "reservations.origin": "airports",
        "reservations.destination": "airports",
        "reservation_flights.reservation_id": "reservations",
        "reservation_flights.flight_number": "flights",
        "reservation_passengers.reservation_id": "reservations",
        "payments.reservation_id": "reservations",
        "payments.payment_id": "payment_methods",
    },
    laws=LAWS,
)
