"""A message with several options, cut down to the one that the customer chose."""

from __future__ import annotations

import re

from tau_env.language.options import split_options
from tau_env.language.reading import Reply

_MARK = re.compile(r"^\W*(?:(?:option|choice|alternative)\W+)?\w\W*[.):]\s", re.IGNORECASE)


def chosen_text(text: str, reply: Reply) -> str | None:
    """Cut a message down to the chosen option with what stands before and after all options.

    Args:
        text: the agent's message.
        reply: the customer's, with an option's number or with values that only one option has.

    Returns:
        The message without the other options; None if it has no options or none was chosen.
    """
    found = split_options(text)
    options = found.each
    if len(options) < 2:
        return None
    number = reply.option
    if not number:
        named = [str(one.value) for one in reply.literals] + [one.text for one in reply.literals]
        fitting = [
            place
            for place, one in enumerate(options, start=1)
            if any(_holds(one, it) for it in named)
        ]
        number = fitting[0] if len(fitting) == 1 else 0
    if not 1 <= number <= len(options):
        return None
    return f"{found.head}\n{options[number - 1]}\n{found.tail}"


def _holds(option: str, value: str) -> bool:
    """Whether a value stands in an option, its number or letter aside: "all three" is no third."""
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", _MARK.sub("", option)) is not None
