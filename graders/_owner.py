"""Whether a message says that a record is somebody else's: a short list of forms, no more.

The policy forbids to tell even that much of a foreign record. Read here are plain statements about
one record; questions, conditions and sentences about records in general are none.
"""

from __future__ import annotations

import re

from tau_env.language.sentences import split_sentences

_WHO = r"(?:customer|person|user|account(?: holder)?|client|guest|party|passenger|profile|name)"
_OTHER = rf"(?:some(?:one|body) else|another {_WHO}|(?:a )?different {_WHO})"
_IS = (
    r"(?:\b(?:is|was|has been|appears|seems|sits|stands|lies|lives|runs|goes|falls|hangs|rests"
    r"|shows up|comes up|turns up)|['’]s)"
)
_SURELY = r"(?:(?:actually|currently|really|in fact|already|just|all) )?"
_PLACED = (
    r"(?:(?:placed|made|booked|ordered|registered|listed|held|filed|linked|tied|associated|owned"
    r"|kept|stored|attached|connected|recorded|paid) )"
)
_STATED = re.compile(
    rf"\bbelong(?:s|ed|ing) to {_OTHER}\b"
    rf"|{_IS} {_SURELY}(?:to be )?{_PLACED}?(?:by|under|to|with|on|from|in|of) (?:the \w+ of )?"
    rf"{_OTHER}\b"
    rf"|{_IS} {_SURELY}(?:to be )?{_OTHER}['’]s\b"
    rf"|\b(?:the|an|its) (?:order|reservation|booking|purchase|trip|account|owner) of {_OTHER}\b"
    rf"|{_OTHER} (?:has |had )?(?:placed|ordered|owns?|booked|made|holds?|bought|reserved|paid for)"
    r" (?:it|this|that|the)\b"
    rf"|\b(?:owner|holder|buyer|customer|name|account)(?: \w+){{0,4}} is {_SURELY}"
    rf"(?:{_OTHER}|a different one)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:if|whether|unless|when|whenever|in case|any|every|each|no|which)\b", re.IGNORECASE
)
# "Add another passenger" speaks of no record.
_CUSTOMER_SAID = re.compile(
    rf"\b(?!another passenger){_OTHER}\b|\bmy \w+['’]s\b|\bnot (?:mine|my)\b|\bfor my \w+",
    re.IGNORECASE,
)


def says_whose(text: str) -> bool:
    """Whether a message states that a record belongs to somebody else."""
    return any(
        _STATED.search(one.text) is not None and _OPEN.search(one.text) is None
        for one in split_sentences(text)
        if not one.question
    )


def customer_said_so(text: str) -> bool:
    """Whether the customer's own lines speak of somebody else's record."""
    return _CUSTOMER_SAID.search(text) is not None
