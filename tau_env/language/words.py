"""A sentence as plain lower-case words: contractions written out, chat spellings made regular.

``"I'd need ur e-mail, can't find it"`` becomes ``i would need your email , can not find it``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache


def word_set(words: str) -> frozenset[str]:
    """The words of a line as a set."""
    return frozenset(words.split())


_TOKEN = re.compile(
    r"[\w.+-]+@[\w.-]*\w|[$€£]\s?\d[\d,.]*\d|[$€£]\s?\d|\d[\d,.]*\d|#?\w+(?:['’`]\w+)*"
    r"|['’`]\w+|[?,:;/|!]|[—–…]|(?<=\s)-(?=\s)"
)
_SEPARATORS = dict.fromkeys("—–…-!", ",") | {"|": "/"}
_EMAIL = re.compile(r"\be[- ]mail", re.IGNORECASE)
_NUMBER_SIGN = re.compile(r"(?<=[^\W\d])\s*#(?![\w#])")
_CLIPPED = re.compile(r"(?<=\w\win)['’](?!\w)")
_LONG = re.compile(r"([a-z])\1{2,}")
_SPELLINGS = {
    variant: plain
    for line in """
        you = u ya ye yall y'all thee thou yous
        your = ur yer thy thine
        are = r be'est
        please = pls plz kindly prithee pleaze
        ok = okay k kk okey oki okie
        yes = yep yup yeah yea aye yessir ja si oui yass
        no = nope nah nay nein
        not = nae
        thanks = thx ty thnx tysm
        because = cos cuz coz bc
        though = tho
        alright = alrighty aight
        want to = wanna
        going to = gonna
        have to = gotta hafta
        let me = lemme
        give me = gimme
        let me know = lmk
        can not = can't cannot cant canna canny
        will not = won't wont
        shall not = shan't
        do not = dont
        does not = doesnt
        did not = didnt
        is not = isnt ain't aint
        i am = im
        i have = ive
        let us = let's lets
        it is = tis 'tis
        them = 'em em
        that is = thats
        what is = whats
        there is = theres
        you are = youre
        have not = havent
        would not = wouldnt
        could not = couldnt
        second = sec secs tick
        minute = min mins
        will = wilt
        shall = shalt
        do = dost
        does = doth
        has = hath
        would = wouldst
        can = canst
        address = addy addr
        info = information
        number = num nr
        approximately = approx
        by the way = btw
        need to = needa
        return = rtn
        returned = rtnd
        refund = rfnd
        refunded = rfndd rfnded
        order = ord
        orders = ords
        reason = rsn
        reservation = resv rsvn resn
        reservations = resvs
        confirm = cfm cnf cnfm
        confirmation = conf
        cancel = cxl canx
        cancelled = cxld cxled canxd
        change = chg
        changed = chgd
        charged = chrgd
        exchange = exch xchg
        exchanged = exchd
        requested = reqd
        account = acct
        payment = pmt pymt
        transfer = xfer xfr tfr
        transferring = xferring
        transferred = xferred
        agent = agt
        representative = csr
        anything = anyth anythg
        available = avail
        ticket = tkt
        negative = neg
        affirmative = affirm
        user id = uid
        quantity = qty
        delivered = dlvd dlvrd
        processed = procd
        information = infos
    """.strip().splitlines()
    for plain, _, variants in [line.strip().partition(" = ")]
    for variant in variants.split()
}
_SUFFIXES = {"ll": "will", "re": "are", "ve": "have", "d": "would", "m": "am", "t": "not"}
_SUBJECTS = word_set("it that there here what who where how he she everything this which when all")


@dataclass(frozen=True, slots=True)
class Words:
    """The plain words of a sentence, punctuation among them.

    Attributes:
        plain: the words.
        raw: for each the token as written that it came from.
    """

    plain: tuple[str, ...]
    raw: tuple[str, ...]


def plain_words(sentence: str) -> Words:
    """The words of a sentence, lower case, in one regular spelling."""
    plain: list[str] = []
    raw: list[str] = []
    text = _NUMBER_SIGN.sub(" number", _CLIPPED.sub("g", _EMAIL.sub("email", sentence)))
    for token in _TOKEN.findall(text):
        # A bare "'s" has an empty stem, which is no word.
        words = [word for word in _regular(token) if word]
        plain += words
        raw += [token] * len(words)
    return Words(tuple(plain), tuple(raw))


@lru_cache(maxsize=65_536)
def _regular(token: str) -> tuple[str, ...]:
    """One token as regular words."""
    word = token.lower().replace("’", "'").replace("`", "'")
    if word in _SEPARATORS:
        return (_SEPARATORS[word],)
    if len(word) > 3:
        word = _LONG.sub(r"\1", word)
    if word in _SPELLINGS:
        return tuple(_SPELLINGS[word].split())
    if "_" in word and not any(char.isdigit() for char in word):
        return tuple(word.replace("_", " ").split())
    if "'" not in word:
        return (word,)
    stem, _, suffix = word.rpartition("'")
    if suffix == "t" and stem.endswith("n"):
        return _SPELLINGS.get(stem[:-1], stem[:-1]), "not"
    if suffix == "s":
        return stem, "is" if stem in _SUBJECTS else "'s"
    if suffix in _SUFFIXES:
        return *_regular(stem), _SUFFIXES[suffix]
    return (word.replace("'", ""),)
