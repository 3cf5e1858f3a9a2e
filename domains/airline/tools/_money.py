"""Money of reservations: fees, free bags, payment methods, charges and refunds, all in cents."""

from __future__ import annotations

from tau_env.domains.airline.tools._records import Record
from tau_env.errors import Refused
from tau_env.world.coerce import dollars
from tau_env.world.database import World

BAG_CENTS = 5_000
INSURANCE_CENTS = 3_000
MOST_BAGS = 100
"""More bags than that are a slip of the pen."""

_FREE_BY_MEMBERSHIP = {"regular": 0, "silver": 1, "gold": 2}
_FREE_BY_CABIN = {"basic_economy": 0, "economy": 1, "business": 2}
_NET = """
SELECT m.*, sum(p.amount_cents) AS net_cents FROM payments p JOIN payment_methods m
USING (payment_id) WHERE p.reservation_id = ? AND m.source <> 'certificate'
GROUP BY m.payment_id ORDER BY min(p.entry_id)
"""


def in_dollars(cents: int) -> str:
    """An amount as texts write it: ``$12.50``."""
    return f"${dollars(cents):.2f}"


def free_bags(membership: str, cabin: str, *, passengers: int) -> int:
    """How many checked bags a reservation has free."""
    return passengers * (_FREE_BY_MEMBERSHIP[membership] + _FREE_BY_CABIN[cabin])


def require_bags(total: int, nonfree: int, *, membership: str, cabin: str, passengers: int) -> None:
    """Refuse a number of bags to be paid for that is not those beyond the free ones.

    Args:
        total: all checked bags.
        nonfree: those that are to be paid for.
        membership: of the customer who holds the reservation.
        cabin: of the reservation.
        passengers: how many.

    Raises:
        Refused: under R6.1, with the number that is right; no reservation has so many bags.
    """
    if not 0 <= total <= MOST_BAGS:
        raise Refused("", f"total_baggages is {total}: a reservation has 0 to {MOST_BAGS} bags")
    free = free_bags(membership, cabin, passengers=passengers)
    right = max(0, total - free)
    if nonfree != right:
        raise Refused(
            "R6.1",
            f"nonfree_baggages is {nonfree}, but must be {right}: with {passengers} passengers in "
            f"{cabin}, {free} bags are free to a {membership} member, and there are {total}",
        )


def find_method(world: World, payment_id: str, *, user_id: str, rule: str) -> Record:
    """The row of one of a customer's payment methods.

    Raises:
        Refused: under `rule`; the customer has no such method.
    """
    method = world.row(
        "SELECT * FROM payment_methods WHERE payment_id = ? AND user_id = ?", payment_id, user_id
    )
    if method is None:
        raise Refused(
            rule,
            f"payment method {payment_id[:80]!r} is not in the profile of the customer who holds "
            "the reservation; get_user_details lists their methods",
        )
    return method


def find_card(world: World, payment_id: str, *, user_id: str, rule: str) -> Record:
    """The row of one of a customer's credit cards or gift cards.

    Raises:
        Refused: under `rule`; the customer has no such method, or it is a certificate.
    """
    method = find_method(world, payment_id, user_id=user_id, rule=rule)
    if method["source"] == "certificate":
        raise Refused(
            rule, f"{payment_id} is a certificate: only a credit card or a gift card can be used"
        )
    return method


def require_balance(method: Record, cents: int, *, rule: str) -> None:
    """Refuse a gift card or a certificate that does not hold an amount.

    Raises:
        Refused: under `rule`, with both amounts.
    """
    if method["source"] != "credit_card" and method["balance_cents"] < cents:
        raise Refused(
            rule,
            f"{method['payment_id']} holds {in_dollars(method['balance_cents'])} and cannot pay "
            f"{in_dollars(cents)}",
        )


def move_money(world: World, reservation_id: str, method: Record, *, cents: int) -> None:
    """Charge a method (positive cents) or refund it (negative), with a line in the history.

    The balance of a gift card follows at once, a certificate is used up; nothing happens for zero.
    """
    if cents == 0:
        return
    world.write(
        "INSERT INTO payments (entry_id, reservation_id, payment_id, amount_cents)"
        " VALUES (?, ?, ?, ?)",
        f"pay_new_{world.next_id('payments'):06d}",
        reservation_id,
        method["payment_id"],
        cents,
    )
    if method["source"] == "gift_card":
        world.write(
            "UPDATE payment_methods SET balance_cents = balance_cents - ? WHERE payment_id = ?",
            cents,
            method["payment_id"],
        )
    if method["source"] == "certificate":
        world.write(
            "UPDATE payment_methods SET balance_cents = 0 WHERE payment_id = ?",
            method["payment_id"],
        )


def refund_all(world: World, reservation_id: str) -> None:
    """Give back to credit cards and gift cards what they have paid for a reservation.

    What another method has got back already, when flights were changed, is not given back again.
    """
    net = world.rows(_NET, reservation_id)
    left = sum(method["net_cents"] for method in net)
    for method in net:
        back = max(0, min(left, method["net_cents"]))
        move_money(world, reservation_id, method, cents=-back)
        left -= back
