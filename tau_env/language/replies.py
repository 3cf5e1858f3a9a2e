"""A customer's message read as an answer to a proposal: yes, yes-but, no, withdrawn or none.

Whether there was a proposal, and which, is not decided here: the reading knows the message alone.
The settled cases are a table in docs/what-counts.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tau_env.language.cache import per_lexicon, per_text
from tau_env.language.literals import find_literals
from tau_env.language.reading import Literal, Reply
from tau_env.schema.domain import Lexicon

# A clause that only quotes an agreement ("if I say yes", "before you go ahead") agrees to nothing.
_QUOTED = (
    r"\b(?:if|before|unless|until|once|when|in case)\s+(?:i|we|you|they|it)\b[^,.;!?\n]*"
    r"|\b(?:are|is|was|were)\s+(?:you|that|this|it|everything)\s+(?:really\s+|still\s+|all\s+)?"
    r"(?:sure|certain|ok|okay|right|correct|fine)\b"
    r"|\b(?:make|be|being|for|pretty|quite)\s+(?:sure|certain)\b"
    r"|\bso (?:that )?(?:i|we|you|they) (?:can|could)\b[^,.;!?\n]*"
    r"|\bgo(?:ing)? ahead and (?:tell|explain|check|look|show|give)\b"
    r"|\b(?:ok|okay|alright|fine|good) (?:with|for) (?:you|me to)\b"
)
# Words of refusal that refuse nothing.
_NO_REFUSAL = (
    r"\bno,? (?:further|other|more|additional|new|particular|special) [a-z]+"
    r"|\bno (?:changes?|questions?|need|rush|hurry|doubt|idea|longer|one|way of knowing"
    r"|preference)\b"
    r"|\bnothing (?:else|more|further)\b|\bno(?:,)? (?:that(?:'s| is| will be| would be)|nothing) "
    r"(?:all|it|everything)\b"
    r"|\b(?:do not|don't|won't|can't|cannot) (?:wait|worry|hesitate|mind|forget|need anything|"
    r"need any|want anything|have|remember|recall|know|see|think i (?:have|know|remember))\b"
    r"|\b(?:not|un)\s?sure (?:what|which|where|who) (?:the|my|it|exactly)\b"
    r"|\b(?:do not|don't) (?:want|wish|need|like|plan) (?:to )?(?:add|include|use|any|buy)\b"
    r"|\bnot (?:only|just)\b|\bnot (?:that|to) (?:i|worry)\b|\bif not\b|\bwhether or not\b"
    r"|\bi (?:said|got|had|put|wrote|typed|gave|told|chose|picked|read|remembered)\b[^.;!?\n]{0,30}"
    r"\b(?:wrong|incorrect)(?:ly)?\b"
)
_CONSENT = "(?:consent|permission|approval|authori[sz]ation|agreement|blessing)"
_STRONG = (
    r"\byes+\b|\byeah\b|\byep\b|\byup\b|\byea\b|\byess?ir\b|\byas\b|\boui\b|\babsolutely\b(?! not)"
    r"|\bdefinitely\b(?! not)|\bof course\b(?! not)|\bcertainly\b(?! not)|\bby all means\b"
    r"|\b(?:please |pls |just |then |can |could |may |let's |you )*(?:go|going) (?:right )?ahead\b"
    r"|\bgo for it\b|(?:^|(?<=[,.;!\n]))\s*(?:(?:ok|okay|alright|please|then)\s+)?go\b"
    r"(?=\W*(?:$|\n))"
    r"|(?<!n't )(?<!not )\b(?:please |just |let's )*do (?:it|that|so"
    r"|this)\b(?! not)|\bplease do\b(?! not)"
    r"|\b(?:please |pls |kindly |just |let's |can |could |you )*(?:proceed|continue)\b(?! to tell)"
    r"|\bi(?:'d| would| do)? (?:like|want|wish) (?:you )?to (?:proceed|go ahead|continue|confirm)\b"
    r"|\bi(?:'m| am)? (?:hereby |do |fully )?(?:confirm(?:ing)?|agree|consent|approve|accept"
    r"|authori[sz]e)\b"
    r"|^\W*(?:confirmed|agreed|approved|affirmative|confirm|accepted|exactly|indeed|granted"
    r"|authori[sz]ed|va bene|d'accord|de acuerdo|claro|ja|genau|s[i\u00ed\u00ec])\b"
    r"|(?:^|(?<=[,.;!\n]))\s*i (?:do|am|would)\b(?=\W*(?:$|[,.;!\n]))"
    rf"|(?<!no )(?<!without )(?<!my )\b{_CONSENT} (?:is )?(?:hereby )?(?:given|granted)\b"
    rf"|\bi (?:hereby |do )?(?:give|grant) (?:you )?(?:my |full )?{_CONSENT}\b"
    r"|^[^\w\n]*[\U0001f44d\U0001f44c\u2705\U0001f197]"
    r"|\b(?:sounds?|looks?|seems?|is|are|all|that's|everything's|it's) (?:all |very |totally |"
    r"perfectly |absolutely |quite )?(?:good|great|fine|right|correct|perfect|ok|okay|accurate"
    r"|lovely)\b"
    r"|\bthat (?:works|would be (?:great|good|fine|perfect|lovely|helpful|ideal|wonderful)"
    r"|will do)\b"
    r"|\bworks for me\b|\b(?:fine|good|ok|okay|great) (?:by|with|for) me\b|\bwhy not\b"
    r"|\bi (?:guess|think|suppose|believe|hope) (?:so|that's (?:fine|ok|okay|right))\b"
    r"|\bno (?:problem|worries|issues?|objections?|complaints?|concerns?)\b|\bnot a problem\b"
    r"|\b(?:make it (?:so|happen)|let it happen)\b|\bget it done\b"
    rf"|\byou (?:may|have my (?:ok|okay|yes|{_CONSENT}))\b"
    r"|\b(?:let's|let us) (?:do|book|go|make|get|finish|finalize)\b(?! back)"
)
_WEAK = (
    r"(?:^|(?<=[,.;!\n\u2014-])|(?<=\band)|(?<=\boh)|(?<=\bwell)|(?<=\bthen)|(?<=\bhmm))\s*"
    r"(?:sure(?: thing)?|ok(?:ay|ey|ie)?|k|alright|all right|fine|very well|right|correct"
    r"|perfect|great|"
    r"good|excellent|awesome|wonderful|lovely|cool|yay|y)\b"
    r"(?!\s+(?:price|deal|luck|point|question|time|day|news|job|one|i'm|evening|morning|afternoon))"
)
_WRONG = frozenset(("wrong", "incorrect", "not right", "not correct"))
_PRAISE = frozenset(
    (
        "perfect",
        "great",
        "good",
        "excellent",
        "awesome",
        "wonderful",
        "lovely",
        "cool",
        "right",
        "yay",
    )
)
_NO = (
    r"\bno+\b(?=\W*$|\s*[^\w\s]|\s+(?:thanks?|thank|i|i'm|it|it's|that|that's|this|do|don't|please"
    r"|way|not|never|sorry|we|you|the|sir|ma'am|cancel|leave|keep|actually|but|just|absolutely"
    r"|let's|really|my|wait|stop|he|she|they|there|what|why|need to)\b)|\bnope\b|\bnah\b|\bnay\b"
    r"|\bnot (?:really|at all|now|anymore|today|ok|okay|fine"
    r"|right|correct|"
    r"what|acceptable|good|happy|interested|going to|until|unless|for me|agree)\b"
    r"|\b(?:absolutely|definitely|certainly|of course) not\b|\brather not\b|\bnever ?mind\b"
    r"|\bforget (?:it|about)\b"
    r"|\b(?:is|are|was|does|do|did|that's|it's|would|will|am|i'm)(?:n't| not)\b(?! (?:a problem"
    r"|sure))"
    r"|\b(?:do not|don't|dont|won't|will not|can't|cannot|shouldn't|please not)\b"
    r"|(?<!#)\bstop\b|\bdecline\b|\brefuse\b|\bdisagree\b|\bincorrect\b|\bwrong\b|\bunacceptable\b"
    r"|\bchanged my mind\b|\b(?:leave|keep) (?:it|that|this|them|everything|things)"
    r"(?: all| one| order| booking)? (?:as|the way|alone|like|unchanged|untouched)\b"
    r"|\bleave (?:it|that|this|them)\b(?=\W*(?:$|[.,;!]))"
    r"|\b(?:let's|i'll|i will|i'd|just) (?:skip|pass|leave it|keep it)\b"
    rf"|\b{_CONSENT} (?:is )?(?:denied|refused|withheld|not (?:given|granted))\b"
    r"|^[^\w\n]*[\U0001f44e\U0001f645\u274c\U0001f6ab]"
)
_HOLD = (
    r"\bwait\b(?! (?:for|until) (?:the|it|my|your))|\bhold (?:on|off|up|it)\b|\bhang on\b"
    r"|\b(?:let me|need to|have to|want to|i'll|i will|must) (?:think|check|consider|ask|look"
    r"|sleep)\b"
    r"|\bthink (?:about|over)\b|\b(?:just |give me )?(?:a|one) (?:moment|minute|second|sec)\b"
    r"|\b(?:not|un)\s?(?:entirely |so |quite |completely )?sure\b|\bnot yet\b|\bmaybe\b|\bperhaps\b"
    r"|\bbut first\b|\bfirst,? (?:tell|let|can|could|what|how|i|please|explain|check)\b"
    r"|\bbefore (?:you|we|i|that|doing|confirming|proceeding|agreeing|deciding|anything)\b"
    r"|\b(?:i have|got) (?:a|one|another|some|a few) (?:more )?questions?\b"
)
_EVENTS = re.compile(
    f"(?P<quoted>{_QUOTED})|(?P<neutral>{_NO_REFUSAL})|(?P<strong>{_STRONG})|(?P<hold>{_HOLD})"
    f"|(?P<no>{_NO})|(?P<weak>{_WEAK})",
    re.MULTILINE,
)
# "before you ..." both quotes an agreement and holds it up.
_HOLDING_QUOTE = re.compile(r"\b(?:before|until)\b")
_SENTENCE = re.compile(r"[^.!?\n]+(?:\.(?=\w)[^.!?\n]*)*[.!?]*")
_INFORMATION = re.compile(
    r"\b(?:what|how|when|why|who|which|where|whether|is|are|am|will|would|does|do|did|can i"
    r"|could i|"
    r"can we|should i|tell me|explain|let me know|clarify|check)\b"
)
_REQUEST_FORM = re.compile(
    r"\b(?:can|could|would|will) (?:you|we) (?:also |please |just |kindly )*"
    r"(?!tell|explain|clarify|check|confirm (?:that|whether|if|what|how)|let me|show|give me)[a-z]"
    r"|\bwould you mind\b"
)
_WISHES = re.compile(r"\bi(?:'d| would|'ll)? (?:like|want|need) to\b(?! (?:proceed|go|do|confirm))")
_TURNS_AWAY = re.compile(
    r"\b(?:actually|instead|rather|on second thought|how about|what about|changed my mind|"
    r"as well|also|in addition|another thing|by the way|in that case)\b"
)
_CHANGES = re.compile(
    r"\b(?:but|except|however|although|though|instead|rather|only|provided|as long as|"
    r"on (?:the )?condition|if|make it|make that (?:a|an|the)\b"
    r"|change (?:it|that|the)\b(?!\W*(?:$|[.!,]))|"
    r"with one change|apart from|other than|excluding|without|not)\b"
    r"|\bjust (?:the|#|for|that one|put|use)"
)
_EMPTY_CHANGE = re.compile(
    r"\b(?:but|though|however|although|if)\b,? (?:thanks?|thank you|please (?:be quick|hurry"
    r"|do it)|"
    r"hurry|be quick|quickly|that's (?:all|it)|you (?:can|could|don't mind|wouldn't mind)|possible|"
    r"i'm (?:a bit )?(?:sad|disappointed))"
)
_EXCLUDES = re.compile(
    r"\b(?:but not|not(?! right| correct)|except|excluding|without|don't|do not|leave|keep|skip"
    r"|other than|apart from)\b"
    r"(?P<what>[^.;!?\n]*)"
)
_ORDINALS = {
    "first": 1, "1st": 1, "former": 1, "second": 2, "2nd": 2, "latter": 2,
    "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5,
}  # fmt: skip
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "a": 1, "b": 2, "c": 3, "d": 4}
_OPTION = re.compile(
    r"\b(?:option|choice|alternative|number|no\.|variant)\s*#?(?P<number>[1-9]|one|two|three"
    r"|four|five|[abcd])\b"
    r"|\bthe (?P<ordinal>first|second|third|fourth|fifth|1st|2nd|3rd|4th|5th|former|latter)\b"
    r"(?=\s*(?:one|option|choice|alternative|of|please|works|is|sounds|will|would|,|\.|!|$))"
    r"|^\W*(?P<bare>[1-9])\W*(?:please\W*)?$"
    r"|^\W*(?P<letter>[a-d])\b(?!.*(?:^|[\s(])[b-d][).:])"
    r"(?=\W*$|[,.;:!)]|\s+(?:please|then|it is|is|works|sounds|thanks?)\b)"
)
_CHOICE = re.compile(
    r"\b(?:i'll|i will|i'd like to|i would like to|i want to|let's|let us|we'll|i'm going to|i'd"
    r"|i would)"
    r" (?:rather )?(?:go (?:with|for)|take|choose|pick|select|opt for|stick with)\b"
    r"|\bi (?:choose|pick|select|prefer|opt for) (?:option|the|flight|#)"
    r"|\bi'd prefer (?:option|the (?:first|second|third|last|cheap|other|one))"
    r"|^\W*(?:both|either|all)(?: of them| of those)?(?: is| are)?(?: fine)?(?: please)?\W*$"
    r"|^\W*the [a-z-]+(?: [a-z-]+)? (?:one|option)(?:,? please)?\W*$"
)
_THANKS = re.compile(r"\b(?:thanks?|thank you|thx|ty|cheers|appreciate|(?:good)?bye)\b")
_NO_OK = re.compile(r"\W*no(?:pe)?\W{1,2}(?:ok(?:ay)?|fine|alright|great|perfect)\W*")


@dataclass(frozen=True, slots=True)
class _Event:
    """A word of agreement, refusal or delay, with the clause that it stands in."""

    kind: str
    text: str
    start: int
    end: int


@per_text
def read_customer(text: str, lexicon: Lexicon) -> Reply:
    """Read a customer's message as an answer to a proposal.

    The last clear word wins ("no... well, yes" is a yes); an agreement with a condition or a
    changed value is ``yes_but``, one that first wants something is ``withdrawn``. Choosing one of
    several options is a ``yes`` with the option's number, or with the values that it names.

    Args:
        text: what the customer wrote.
        lexicon: the domain's words.

    Returns:
        The reply; ``none`` for thanks, facts and requests in the customer's own words.
    """
    literals = find_literals(text, lexicon)
    plain = _masked(text, literals)
    events = _events(plain, lexicon)
    option, chosen = _option(plain)
    kind, excluded = _kind(plain, events, literals, chosen)
    kept = tuple(one for one in literals if one not in excluded)
    return Reply(kind, option, kept, excluded)  # type: ignore[arg-type]


def _masked(text: str, literals: tuple[Literal, ...]) -> str:
    """Lower case, plain apostrophes; closed words and names hidden: they answer nothing."""
    plain = text.replace("\u2019", "'").replace("\u2018", "'")
    for one in literals:
        if one.kind in ("word", "name", "email"):
            plain = plain[: one.start] + "\x00" * (one.end - one.start) + plain[one.end :]
    lower = plain.lower()
    return lower if len(lower) == len(plain) else plain


def _events(plain: str, lexicon: Lexicon) -> list[_Event]:
    events = []
    for match in _EVENTS.finditer(plain):
        kind = match.lastgroup or ""
        if kind == "quoted":
            if not _HOLDING_QUOTE.match(match.group()):
                continue
            kind = "hold"
        if kind == "no" and not _refuses(match, plain, lexicon):
            continue
        if kind != "neutral":
            events.append(_Event(kind, match.group().strip(), match.start(), match.end()))
    return events


@per_lexicon
def _action_words(lexicon: Lexicon) -> re.Pattern[str]:
    """What a "don't" must be about to refuse a proposal."""
    verbs = {form.split()[0] for forms in lexicon.verbs.values() for form in forms}
    common = (
        "do|proceed|go|want|like|agree|accept|think so|process|charge|make|place|touch|send|change|"
        "confirm|continue|approve|authorize|cancel|book|need that|need it|need this|wish|consent|"
        "even|you dare|bother|just|please"
    )
    return re.compile(rf"\W*(?:{'|'.join(map(re.escape, sorted(verbs)))}|{common})\b|\W*$")


def _refuses(match: re.Match[str], plain: str, lexicon: Lexicon) -> bool:
    word = match.group()
    if re.match(r"do not|don't|dont|won't|will not|can't|cannot|shouldn't", word):
        return bool(_action_words(lexicon).match(plain[match.end() : match.end() + 40]))
    return True


def _option(plain: str) -> tuple[int, bool]:
    """Number of the option that is named (0: none), and whether the message chooses at all."""
    match = _OPTION.search(plain)
    if match is None:
        return 0, bool(_CHOICE.search(plain))
    if match["ordinal"]:
        return _ORDINALS[match["ordinal"]], True
    word = match["number"] or match["bare"] or match["letter"]
    return (_NUMBERS.get(word) or int(word)), True


def _kind(
    plain: str, events: list[_Event], literals: tuple[Literal, ...], chosen: bool
) -> tuple[str, tuple[Literal, ...]]:
    yes = [one for one in events if one.kind in ("strong", "weak")]
    if (
        yes
        and all(one.kind == "weak" and one.text in _PRAISE for one in yes)
        and _THANKS.search(plain)
    ):
        yes = []
    others = [
        one
        for one in events
        if one.kind == "hold" or (one.kind == "no" and not _is_asked(plain, one))
    ]
    if not yes:
        return _without_yes(plain, others, chosen), ()
    first, last = yes[0], yes[-1]
    excluded = _excluded(plain, first, literals)
    later = [
        one
        for one in others
        if one.start > last.start
        and not _in_exclusion(plain, one, excluded)
        and not _puts_right(plain, one, literals)
    ]
    if later:
        return ("no" if later[-1].kind == "no" else "withdrawn"), ()
    firm = any(one.kind == "strong" for one in yes)
    leaves = _THANKS.search(plain) or _NO_OK.fullmatch(plain)
    if not firm and others and others[0].start < first.start and leaves:
        # "No, ok. Thanks" takes leave.
        return others[0].kind.replace("hold", "withdrawn"), ()
    if _asks_first(plain, yes) or (not firm and _WISHES.search(plain, first.end)):
        return "withdrawn", ()
    if others and others[0].kind == "no" and others[0].start < first.start and "instead" in plain:
        return "no", ()
    rest = _EMPTY_CHANGE.sub("", plain[first.end :])
    if excluded or _CHANGES.search(_without_neutral(rest)):
        return "yes_but", excluded
    return "yes", ()


def _without_yes(plain: str, others: list[_Event], chosen: bool) -> str:
    if others and others[-1].kind == "hold":
        return "withdrawn"
    if chosen and not _asks(plain):
        return "yes"
    if others:
        return "no"
    if _asks(plain) or _TURNS_AWAY.search(plain):
        return "withdrawn"
    return "none"


def _asks(plain: str) -> bool:
    """Whether any sentence is a question, be it for information or a request."""
    return any("?" in sentence for sentence in _SENTENCE.findall(plain))


def _is_asked(plain: str, event: _Event) -> bool:
    """Whether a refusing word only stands inside a question: "is it not possible?"."""
    for match in _SENTENCE.finditer(plain):
        if match.start() <= event.start < match.end():
            before = plain[match.start() : event.start].strip()
            return match.group().rstrip().endswith("?") and bool(before)
    return False


def _asks_first(plain: str, yes: list[_Event]) -> bool:
    """Whether an agreement stands under a question: "okay, how much is it?", "yes, but when?"."""
    firm = any(one.kind == "strong" for one in yes)
    for match in _SENTENCE.finditer(plain):
        sentence = match.group()
        if "?" not in sentence or _REQUEST_FORM.search(sentence):
            continue
        if not _INFORMATION.search(sentence):
            continue
        inside = any(match.start() <= one.start < match.end() for one in yes)
        before = re.search(r"\bbut\b", sentence)
        if inside or before or not firm:
            return True
    return False


def _without_neutral(text: str) -> str:
    return re.sub(_NO_REFUSAL, " ", text)


def _excluded(plain: str, first: _Event, literals: tuple[Literal, ...]) -> tuple[Literal, ...]:
    """Literals that the customer says it does not want, in the clause that says so."""
    found: list[Literal] = []
    for match in _EXCLUDES.finditer(plain, first.start):
        clause = re.split(r",| but | and (?=\w+ (?:it|them|the)\b)", match["what"])[0]
        end = match.start("what") + len(clause)
        found += [one for one in literals if match.start("what") <= one.start < end]
    return tuple(dict.fromkeys(found))


def _puts_right(plain: str, event: _Event, literals: tuple[Literal, ...]) -> bool:
    """Whether what is called wrong is put right: "yes, but the reason is wrong, it is ..."."""
    if event.text not in _WRONG:
        return False
    clause = re.split(r"[.!?\n]", plain[event.end :])[0]
    return any(event.end <= one.start <= event.end + len(clause) for one in literals)


def _in_exclusion(plain: str, event: _Event, excluded: tuple[Literal, ...]) -> bool:
    """Whether a refusing word only takes something out of an agreement."""
    if event.kind != "no":
        return False
    clause = re.split(r"[.;!?\n]", plain[event.start :])[0]
    return any(event.start <= one.start <= event.start + len(clause) for one in excluded)
