"""Building tasks: facts, goals in money, required look-ups, the frame that all families share."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, Protocol, TypeVar

from tau_env.domains.retail.families._dialogue import Dialogue
from tau_env.domains.retail.families._records import Customer, Method, Order
from tau_env.family import draw, split_of
from tau_env.schema import (
    CallPattern,
    Fact,
    Output,
    Path,
    Requirement,
    RowChange,
    Scenario,
    Task,
    Want,
    sort_patch,
)
from tau_env.schema.task import Kind


class Situation(Protocol):
    """What a pool hands out: an order, or something that is made from one."""

    @property
    def customer(self) -> Customer:
        """Whose order it is."""
        ...

    @property
    def shape(self) -> str:
        """What twins must have in common, so that their openings sound alike."""
        ...


S = TypeVar("S", bound=Situation)

Slots = dict[str, str | tuple[str, ...]]
"""What a want holds, by slot name."""

REFUSAL_RULES = ("R7.1", "R7.3")
"""At stake in every refusal: tell the fact that decides, and do not hand over."""

LEAD = 8
"""So many tasks one split may have more than the other."""

TRANSFER = CallPattern(tool="transfer_to_human_agents")


def identity_facts(customer: Customer, *, with_zip: bool = True) -> dict[str, Fact]:
    """What the customer tells when asked who they are.

    Args:
        customer: the customer.
        with_zip: False where the conversation is about another zip code, so that the two are
            never mixed up.
    """
    known = {
        "email": customer.email,
        "first_name": customer.first_name,
        "last_name": customer.last_name,
    }
    if with_zip:
        known["zip"] = customer.address["zip"]
    return {name: Fact(value=value) for name, value in known.items()}


def who(customer: Customer, facts: dict[str, Fact]) -> str:
    """The first sentences of an instruction: who the customer is, or says to be."""
    email = facts["email"].value
    zip_code = facts["zip"].value if "zip" in facts else customer.address["zip"]
    return (
        f"You are {customer.first_name} {customer.last_name}. Your e-mail address is "
        f"{email} and your zip code is {zip_code}; give them only when "
        "you are asked. Answer questions truthfully, make up nothing, and say yes or no when the "
        "agent asks whether to go ahead. "
    )


def money_rows(*flows: tuple[Order, Method, int]) -> Iterator[RowChange]:
    """The rows that charges and refunds leave.

    Args:
        flows: order, method and cents, positive for a charge, negative for a refund; zero leaves
            nothing.
    """
    cards: dict[str, int] = {}
    for number, (order, method, cents) in enumerate(flow for flow in flows if flow[2]):
        yield RowChange(
            op="insert",
            table="payments",
            key={"payment_id": f"${'abcdef'[number]}"},
            fields={
                "order_id": order.id,
                "transaction_type": "payment" if cents > 0 else "refund",
                "amount_cents": abs(cents),
                "payment_method_id": method.id,
            },
        )
        if method.source == "gift_card":
            cards[method.id] = cards.get(method.id, method.cents) - cents
    for card, balance in cards.items():
        yield RowChange(
            op="update",
            table="payment_methods",
            key={"payment_method_id": card},
            fields={"balance_cents": balance},
        )


def order_row(order: Order, **fields: str | int) -> RowChange:
    """The change of an order's own row."""
    return RowChange(op="update", table="orders", key={"order_id": order.id}, fields=dict(fields))


def look_up(*orders: str) -> tuple[Requirement, ...]:
    """The look-ups of orders on which the policy decides."""
    return tuple(
        Requirement.model_validate(
            {
                "as": f"look up {order}",
                "any": [{"tool": "get_order_details", "arguments": {"order_id": order}}],
            }
        )
        for order in orders
    )


def money(cents: int) -> Output:
    """An amount that must be told."""
    return Output(kind="money", value=abs(cents))


def word(slot: str, value: str) -> Output:
    """A word of the record that must be told."""
    return Output(kind="word", slot=slot, value=value)


def make_task(
    kind: Kind,
    dialogue: Dialogue,
    *,
    opening: str,
    wants: Sequence[Want],
    instruction: str,
    facts: dict[str, Fact] | None = None,
    goal: Iterable[RowChange] = (),
    outputs: Sequence[Output] = (),
    required: Sequence[Requirement] = (),
    forbidden: Sequence[CallPattern] | None = None,
    **more: Any,
) -> Task:
    """A task of this domain; `tau_env.family` gives it its id.

    Args:
        kind: fulfil, partial, refuse, transfer or inform.
        dialogue: the reference solution.
        opening: phrase of the first line.
        wants: what the customer wishes, in order.
        instruction: the same in plain words; who the customer is is put before it.
        facts: what the customer knows; the identity facts when None.
        goal: the rows that a correct trial changes.
        outputs: what must be told.
        required: look-ups on which the policy decides.
        forbidden: calls that must not happen; handing over, where something is refused, when None.
        more: further fields of the task or, by the names of its fields, of the scenario.
    """
    customer = dialogue.customer
    facts = identity_facts(customer) if facts is None else facts
    scenario = {name: more.pop(name) for name in ("twists", "if_refused") if name in more}
    if forbidden is None:
        forbidden = (TRANSFER,) if kind in ("refuse", "partial") else ()
    return Task(
        id="unnamed",
        kind=kind,
        scenario=Scenario(
            customer=customer.id,
            opening=opening,
            wants=tuple(wants),
            facts=facts,
            instruction=who(customer, facts) + instruction,
            **scenario,
        ),
        goals=(sort_patch(goal),),
        outputs=tuple(outputs),
        path=Path(required=tuple(required), forbidden=tuple(forbidden)),
        reference=tuple(dialogue.steps),
        **more,
    )


class Pool(Generic[S]):
    """Situations made from orders in a drawn order."""

    def __init__(
        self, rng: random.Random, order_ids: Iterable[str], make: Callable[[str], S | None]
    ) -> None:
        """Draw the order.

        Args:
            rng: draws the order.
            order_ids: in an order of their own (a sorted query).
            make: an order's situation, or None if it does not fit.
        """
        self._ids: list[str] = draw(rng, order_ids)
        self._make = make
        self._made: dict[str, S | None] = {}

    def take(self, taken: set[str], *, like: S | None = None, split: str | None = None) -> S | None:
        """The next situation whose customer is free; its customer is taken then.

        Args:
            taken: ids of customers that are in use.
            like: only situations of this one's split and `shape`.
            split: only situations of this split.

        Returns:
            The situation, or None if none is left.
        """
        for order_id in self._ids:
            if order_id not in self._made:
                self._made[order_id] = self._make(order_id)
            found = self._made[order_id]
            if found is None or found.customer.id in taken:
                continue
            if split is not None and split_of(found.customer.id) != split:
                continue
            if like is None or _alike(found, like):
                taken.add(found.customer.id)
                return found
        return None


def _alike(one: Situation, two: Situation) -> bool:
    return one.shape == two.shape and split_of(one.customer.id) == split_of(two.customer.id)


class Splits:
    """How many tasks of each split a family has made; neither gets far ahead."""

    def __init__(self) -> None:
        """Begin with none."""
        self._ahead = 0

    def count(self, customer: str, *, tasks: int = 1) -> None:
        """Note tasks about a customer, by id."""
        self._ahead += tasks if split_of(customer) == "train" else -tasks

    @property
    def wanted(self) -> str | None:
        """The split that the next task must be of, because the other leads by `LEAD`."""
        if abs(self._ahead) < LEAD:
            return None
        return "test" if self._ahead > 0 else "train"


def in_turn(pools: Sequence[Pool[S]]) -> Iterator[tuple[int, S]]:
    """Situations of each pool in turn, from both splits alike, until a pool runs dry.

    Args:
        pools: kinds of situations.

    Yields:
        The number of the pool, and a situation; no customer twice.
    """
    taken: set[str] = set()
    for number in itertools.count():
        kind = number % len(pools)
        split = _split_in_turn(number, len(pools))
        found = pools[kind].take(taken, split=split) or pools[kind].take(taken)
        if found is None:
            return
        yield kind, found


def _split_in_turn(number: int, kinds: int) -> str:
    """The split whose turn it is, such that each kind comes from both."""
    return ("train", "test")[(number + number // kinds) % 2]


def balanced_twins(pools: Sequence[tuple[Pool[S], Pool[S]]]) -> Iterator[tuple[S, S]]:
    """As `twin_pairs`, from both splits alike as far as the company has them.

    Args:
        pools: kinds of pairs, taken in turn until one runs dry.
    """
    taken: set[str] = set()
    for number in itertools.count():
        allowed, forbidden = pools[number % len(pools)]
        split = _split_in_turn(number, len(pools))
        pair = _pair(allowed, forbidden, taken, split) or _pair(allowed, forbidden, taken, None)
        if pair is None:
            return
        yield pair


def _pair(
    allowed: Pool[S], forbidden: Pool[S], taken: set[str], split: str | None
) -> tuple[S, S] | None:
    """A pair whose customers are free; the passed-over ones are in use from then on."""
    while (two := forbidden.take(taken, split=split)) is not None:
        one = allowed.take(taken, like=two)
        if one is not None:
            return one, two
    return None


def twin_pairs(pools: Sequence[tuple[Pool[S], Pool[S]]]) -> Iterator[tuple[S, S]]:
    """Pairs of an allowed and a forbidden situation, alike, no customer twice.

    Args:
        pools: kinds of pairs, taken in turn until one runs dry.
    """
    taken: set[str] = set()
    splits = Splits()
    for allowed, forbidden in itertools.cycle(pools):
        pair = _pair(allowed, forbidden, taken, splits.wanted)
        if pair is None:
            return
        splits.count(pair[0].customer.id, tasks=2)
        yield pair


T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Build(Protocol[T_co]):
    """Makes what a situation gives, with its twist or without."""

    def __call__(self, *, twisted: bool) -> T_co:
        """Make it."""
        ...


def maybe_twisted(rng: random.Random, build: Build[T], *, share: float, twists: bool) -> T:
    """What a situation gives, with a twist in a drawn share of the cases.

    The stream goes on as if every drawn twist had been made, so that the set without twists has
    the same situations, and in each the same words up to the twist.

    Args:
        rng: draws whether there is a twist, and all that `build` draws.
        build: makes it, with or without.
        share: how often there is a twist.
        twists: False leaves it out where it was drawn.
    """
    twisted = rng.random() < share
    before = rng.getstate()
    made = build(twisted=twisted)
    if twists or not twisted:
        return made
    after = rng.getstate()
    rng.setstate(before)
    made = build(twisted=False)
    rng.setstate(after)
    return made
