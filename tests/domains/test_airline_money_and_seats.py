"""Whatever the writing tools do in whatever order: no seat and no cent is lost or made."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest
from airline_calls import DRAW, all_of
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from small_airline import TOOLBOX, open_small

from tau_env.domains.airline import DOMAIN
from tau_env.domains.airline.reservation_ids import SEEDED, SPACE, reservation_id
from tau_env.schema import Call
from tau_env.world.database import World

SEATS = """
SELECT s.flight_number || ' ' || s.date || ' ' || s.cabin AS place,
  s.available + coalesce(h.held, 0) AS seats
FROM seats s LEFT JOIN (
  SELECT y.flight_number, y.date, r.cabin, count(*) AS held
  FROM reservations r JOIN reservation_flights y USING (reservation_id)
  JOIN reservation_passengers p USING (reservation_id)
  WHERE r.status = 'active' GROUP BY 1, 2, 3
) h USING (flight_number, date, cabin)
"""
LAWS = (
    "flights of a reservation chain",
    "a reservation begins at its origin",
    "a reservation comes to its destination exactly once",
    "payments less refunds are an active reservation's price",
    "a reservation is paid with its customer's payment methods",
    "a certificate that has paid is used up",
    "a reservation has one to five passengers",
)
"""Laws of the seeded company that hold after any call; others are about how it was seeded."""


class Books:
    """What must stay as it was: seats sold or not, and the money of gift cards."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.seats = self.all_seats()
        self.gifts = self.gift_money()
        self.certificates = {
            row["payment_id"]: row["balance_cents"] for row in self._methods("certificate")
        }
        self.tried: Counter[str] = Counter()
        self.done: Counter[str] = Counter()

    def call(self, tool: str, arguments: dict[str, Any]) -> Call:
        """Call a tool; a refused call leaves nothing, a cancellation gives back what it should."""
        before = self.world.outcome()
        paid = self.paid_by_cards(str(arguments.get("reservation_id")))
        made = TOOLBOX.call(self.world, tool, arguments)
        self.tried[tool] += 1
        if made.error is not None:
            assert made.error == "refused", made.result
            assert self.world.outcome() == before
            return made
        self.done[tool] += 1
        if tool == "cancel_reservation":
            assert self.paid_by_cards(arguments["reservation_id"]) == min(0, paid)
        if tool == "send_certificate":
            self.certificates[made.result.split()[0]] = 100 * arguments["amount"]
        if "price_difference" in made.result:
            self._is_settled(made)
        return made

    def _is_settled(self, made: Call) -> None:
        """The price difference is what this call has charged or refunded."""
        charged = [
            int(str(change.fields["amount_cents"]))
            for change in made.changes
            if change.table == "payments"
        ]
        assert round(100 * json.loads(made.result)["price_difference"]) == sum(charged)

    def all_seats(self) -> dict[str, int]:
        """Seats that can be sold and seats of active reservations, by flight, date and cabin."""
        return {row["place"]: row["seats"] for row in self.world.rows(SEATS)}

    def _methods(self, source: str) -> list[dict[str, Any]]:
        return self.world.rows("SELECT * FROM payment_methods WHERE source = ?", source)

    def _entries(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for row in self.world.rows("SELECT payment_id, amount_cents FROM payments"):
            found.setdefault(row["payment_id"], []).append(row["amount_cents"])
        return found

    def gift_money(self) -> dict[str, int]:
        """What each gift card holds and has paid."""
        entries = self._entries()
        return {
            row["payment_id"]: row["balance_cents"] + sum(entries.get(row["payment_id"], ()))
            for row in self._methods("gift_card")
        }

    def paid_by_cards(self, reservation: str) -> int:
        """What credit cards and gift cards have paid for a reservation and not got back."""
        (row,) = self.world.rows(
            "SELECT coalesce(sum(amount_cents), 0) AS cents FROM payments"
            " WHERE reservation_id = ? AND payment_id NOT LIKE 'certificate%'",
            reservation,
        )
        return int(row["cents"])

    def check_seats(self) -> None:
        """F20: no seat is lost or sold twice."""
        assert self.all_seats() == self.seats

    def check_cards(self) -> None:
        """Gift cards pay what they lose; a certificate pays once and is used up by it."""
        assert self.gift_money() == self.gifts
        entries = self._entries()
        for row in self._methods("certificate"):
            amounts = entries.get(row["payment_id"], [])
            assert len(amounts) <= 1
            assert row["balance_cents"] == (0 if amounts else self.certificates[row["payment_id"]])

    def check_prices(self) -> None:
        """What has been paid for an active reservation is its price."""
        for trip in all_of(self.world, "SELECT * FROM reservations WHERE status = 'active'"):
            key = trip["reservation_id"]
            people = self.world.rows(
                "SELECT dob FROM reservation_passengers WHERE reservation_id = ?", key
            )
            fares = self.world.rows(
                "SELECT price_cents FROM reservation_flights WHERE reservation_id = ?", key
            )
            insured = 3_000 if trip["insurance"] == "yes" else 0
            price = len(people) * (sum(row["price_cents"] for row in fares) + insured)
            paid = self.world.rows(
                "SELECT amount_cents FROM payments WHERE reservation_id = ?", key
            )
            bags = 5_000 * trip["nonfree_baggages"]
            assert sum(row["amount_cents"] for row in paid) == price + bags, key


class AnyOrder(RuleBasedStateMachine):
    """Calls in any order on the small company."""

    def __init__(self) -> None:
        super().__init__()
        self.books = Books(open_small())

    def teardown(self) -> None:
        self.books.world.close()

    @rule(tool=st.sampled_from(sorted(DRAW)), rng=st.randoms(use_true_random=False))
    def call(self, tool: str, rng: random.Random) -> None:
        self.books.call(tool, DRAW[tool](rng, self.books.world))

    @rule(rng=st.randoms(use_true_random=False))
    def book(self, rng: random.Random) -> None:
        self.books.call("book_reservation", DRAW["book_reservation"](rng, self.books.world))

    @invariant()
    def nothing_is_lost(self) -> None:
        self.books.check_seats()
        self.books.check_cards()
        self.books.check_prices()


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)


@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_is_lost_on_a_long_way_through_the_seeded_company(seed: int) -> None:
    rng = random.Random(seed)
    world = DOMAIN.open()
    books = Books(world)
    for _ in range(200):
        tool = rng.choice((*DRAW, "book_reservation"))
        books.call(tool, DRAW[tool](rng, world))
    books.check_seats()
    books.check_cards()
    books.check_prices()
    assert min(books.done[tool] for tool in DRAW) >= 3, books.done
    assert books.tried != books.done
    for name in LAWS:
        (law,) = [one for one in DOMAIN.laws if one.name.startswith(name)]
        assert world.rows(law.sql) == [], law.name
    world.begin()
    assert world.outcome() == ()
    world.close()


def test_new_reservation_ids_never_meet_each_other_or_seeded_ones() -> None:
    seeded = {row["reservation_id"] for row in DOMAIN.open().rows("SELECT * FROM reservations")}
    new = {reservation_id(SEEDED + number) for number in range(1, 10_001)}
    assert len(new) == 10_000
    assert not new & seeded
    assert len(seeded) == 2_000
    # Numbers and ids are one to one, so that as many as a hundred million can follow.
    assert SPACE - SEEDED > 100_000_000


def test_new_ids_are_given_back_by_a_refused_call_and_by_a_new_episode() -> None:
    rng = random.Random(1)
    world = open_small()
    ids: list[list[str]] = []
    for _ in range(2):
        world.begin()
        books, rng = Books(world), random.Random(1)
        found: list[str] = []
        while len(found) < 3:
            made = books.call("book_reservation", DRAW["book_reservation"](rng, world))
            if made.error is None:
                found.append(json.loads(made.result)["reservation_id"])
        assert books.tried != books.done
        ids.append(found)
    assert ids[0] == ids[1]
    assert ids[0] == [reservation_id(SEEDED + number) for number in (1, 2, 3)]
    world.close()
