"""Text of others on a terminal: what could move the cursor, hide or reorder it is spelled out."""

from __future__ import annotations

import re

HIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, but for tab and newline
    r"\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"  # of no width, or of another direction
    r"\ud800-\udfff]"  # lone surrogates, which no stream takes
)


def visible(text: str) -> str:
    r"""The text with control characters as escapes such as ``\x1b``; tabs and newlines stay."""
    return HIDDEN.sub(lambda found: found.group().encode("unicode_escape").decode(), text)
