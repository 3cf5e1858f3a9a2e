"""Whether a message says anything of what was done: a closing question and courtesies do not.

Read generously: every sentence counts but questions, courtesies and what the agent says of itself
without a value, an action or a word that points to the matter. Whether it is true is for others.
"""

from __future__ import annotations

from tau_env.language.acts import read_agent
from tau_env.language.cache import per_text
from tau_env.language.lines import Line, read_lines
from tau_env.language.sentences import split_sentences
from tau_env.language.words import word_set
from tau_env.schema import Lexicon

_TIES = word_set(
    "it that this these those them both all everything one NUM VAL KNOWN RECORD RECID DET WORD"
    " ACT ACTED ACTING done ready refund money confirmation"
)
_COURTESIES = word_set(
    "great perfect wonderful lovely super excellent fantastic thanks thank you ok alright sure yes"
    " very much so well good welcome are my pleasure dear please , !"
)
_OWN = word_set("our we i us my hope wishing looking may have enjoy always")


@per_text
def says_something_done(text: str, lexicon: Lexicon) -> bool:
    """Whether a message to the customer speaks of the matter at all.

    Args:
        text: the message.
        lexicon: the domain's words.
    """
    if read_agent(text, lexicon).has("reports_done"):
        return True
    return any(_is_about_it(line) for line in read_lines(split_sentences(text), lexicon))


def _is_about_it(line: Line) -> bool:
    words = line.tagged.words
    if line.sentence.question or line.has("closing") or words[:1] in (("thank",), ("thanks",)):
        return False
    if not _TIES.isdisjoint(words):
        return True
    return words[:1] != () and words[0] not in _OWN and not _COURTESIES.issuperset(words)
