"""Entries of a list, such as flights, passengers and payments, against what was agreed to.

An entry that the record has already need not be repeated. Of one that takes another's place only
what differs has to be said; a new one is said in full, or it is somebody whom results know and whom
the conversation names. What belongs together must not be mixed up.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tau_env.graders._agreement import Agreement, Spoken
from tau_env.graders._beside import dates_beside, pieces, same_day
from tau_env.graders._leaves import Entry, Fields, Leaf
from tau_env.graders._records import Records
from tau_env.graders._said import phrase, said_by_customer
from tau_env.graders._things import Things, recognised
from tau_env.schema import Lexicon

ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NAMES = ("first_name", "last_name")


@dataclass(slots=True)
class Entries:
    """The entries of one call held against one agreement.

    Attributes:
        all: every entry of the call.
        agreement: the proposal and the yes.
        things: what results have shown.
        records: the same, as objects.
        lexicon: the domain's words.
        id_failure: decides about ids.
    """

    all: list[Entry]
    agreement: Agreement
    things: Things
    records: Records
    lexicon: Lexicon
    id_failure: Callable[[Leaf], str]

    def failure(self) -> str:
        """The first reason why an entry is not what was agreed to; empty if all are."""
        for entry in self.all:
            if entry.is_kept:
                continue
            reason = self._unsaid(entry) or self._mixed_up(entry)
            if reason:
                return reason
        return ""

    def _unsaid(self, entry: Entry) -> str:
        known = self._is_known(entry)
        for name, value in entry.fields.items():
            if not isinstance(value, str) or entry.old.get(name) == value:
                continue
            reason = ""
            if self.things.is_id(value):
                reason = self.id_failure(Leaf(name, value, top=False, many=True))
            elif not known and not self._is_said(value):
                reason = f"{name} {value!r} was not stated"
            if reason:
                return reason
        return ""

    def _is_said(self, value: str) -> bool:
        everything = self.agreement.everything(older=True)
        if ISO_DATE.fullmatch(value):
            return any(same_day(value, date) for one in everything for date in one.said.dates)
        wanted = phrase(value)
        return any(wanted in one.said.whole for one in everything)

    def _is_known(self, entry: Entry) -> bool:
        """Whether a result has somebody with all these values, and the conversation means them.

        Without any name being said it can only be the customer, who is known with more than that,
        or the same people as in another record.
        """
        if not all(name in entry.fields for name in _NAMES):
            return False
        found = [len(one) for one in self.records.with_fields(entry.fields)]
        if not found:
            return False
        first, last = (str(entry.fields[name]) for name in _NAMES)
        if self._is_said(first) and self._is_said(last):
            return True
        same = [one.fields for one in self.all if one.argument == entry.argument]
        alone = max(found) > len(entry.fields) or self.records.has_list(entry.argument, same)
        return alone and not self._names_another(entry.fields)

    def _names_another(self, fields: Fields) -> bool:
        """Whether the proposal names somebody else whom results know."""
        names = {name: fields[name] for name in _NAMES}
        others = [one for one in self.records.with_names(*_NAMES) if one != names]
        near = [one.said.whole for one in (*self.agreement.answers(), *self.agreement.window)]
        return any(
            phrase(" ".join(str(other[name]) for name in _NAMES)) in text
            for other in others
            for text in near
        )

    # what belongs together

    def _mixed_up(self, entry: Entry) -> str:
        return self._date_failure(entry) or self._payment_failure(entry)

    def _date_failure(self, entry: Entry) -> str:
        """A date that stands beside an id or a first name, and is another one than the entry's."""
        wanted = next((one for one in entry.fields.values() if _is_date(one)), "")
        anchor = self._anchor(entry.fields)
        if not wanted or not anchor:
            return ""
        others = [
            self._anchor(other.fields) for other in self.all if other.argument == entry.argument
        ]
        others += [
            self._anchor(other.old) for other in self.all if other.argument == entry.argument
        ]
        foreign = {
            value
            for other in self.all
            if other.argument != entry.argument
            for value in other.fields.values()
            if _is_date(value)
        }
        for one in self.agreement.everything():
            beside = dates_beside(one.said.lines, anchor, filter(None, others), self.lexicon)
            dates = {date for date in beside if not any(same_day(date, it) for it in foreign)}
            if any(same_day(wanted, date) for date in dates):
                return ""
            if dates and self._is_near(one):
                return f"{anchor} was proposed with {min(dates)}, not with {wanted}"
        return ""

    def _is_near(self, one: Spoken) -> bool:
        near = (*self.agreement.answers(), *self.agreement.window)
        return any(one is other for other in near)

    def _anchor(self, fields: Fields) -> str:
        """What an entry is called: its id, or the first name in it."""
        texts = [value for value in fields.values() if isinstance(value, str)]
        return next((text for text in texts if self.things.is_id(text)), fields.get(_NAMES[0], ""))

    def _payment_failure(self, entry: Entry) -> str:
        """An amount that was to be paid with another method of the same call."""
        target = next((one for one in entry.fields.values() if self.things.is_id(one)), "")
        cents = _cents(entry.fields)
        others = {_cents(one.fields) for one in self.all if one.argument == entry.argument} - {
            cents
        }
        if not target or not cents or not others:
            return ""
        pool = self.things.kind(target)
        for one in self.agreement.everything():
            stated: set[int] = set()
            for piece in pieces(one.said.lines):
                said = said_by_customer(piece, self.lexicon)
                named = self.things.written(said) & pool.ids or recognised(pool, said)[0]
                if named == {target}:
                    stated |= said.money
            if cents in stated:
                return ""
            if stated & others:
                return f"{target} was to pay another amount than ${cents / 100:,.2f}"
        return ""


def _is_date(value: object) -> bool:
    return isinstance(value, str) and ISO_DATE.fullmatch(value) is not None


def _cents(fields: Fields) -> int:
    """The amount in an entry, in cents; 0 if it has none."""
    amounts = (one for one in fields.values() if isinstance(one, int | float))
    return round(abs(next(amounts, 0)) * 100)
