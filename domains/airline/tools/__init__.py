"""The fourteen tools of the airline, with the names and arguments of the τ-bench interface."""

from collections.abc import Callable
from typing import Any

from tau_env.domains.airline.tools.booking import book_reservation
from tau_env.domains.airline.tools.changes import (
    update_reservation_baggages,
    update_reservation_flights,
    update_reservation_passengers,
)
from tau_env.domains.airline.tools.giving_back import cancel_reservation, send_certificate
from tau_env.domains.airline.tools.lookups import get_reservation_details, get_user_details
from tau_env.domains.airline.tools.search import (
    list_all_airports,
    search_direct_flight,
    search_onestop_flight,
)
from tau_env.world.general import calculate, think, transfer_to_human_agents

FUNCTIONS: tuple[Callable[..., Any], ...] = (
    get_user_details,
    get_reservation_details,
    list_all_airports,
    search_direct_flight,
    search_onestop_flight,
    book_reservation,
    cancel_reservation,
    update_reservation_flights,
    update_reservation_baggages,
    update_reservation_passengers,
    send_certificate,
    calculate,
    think,
    transfer_to_human_agents,
)
