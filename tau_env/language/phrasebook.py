"""The words that the patterns share by name, and all families of patterns together.

The patterns themselves are in `phrases_asking` and `phrases_telling`.
"""

from __future__ import annotations

from tau_env.language.inflection import verb_forms
from tau_env.language.phrases_asking import ASKING
from tau_env.language.phrases_telling import TELLING

_DOING = """refund process submit complete apply add remove update adjust issue charge place
        arrange set put pop make do finalize finalise execute credit correct fix enter
        register lodge push move use secure settle perform implement effect reimburse waive
        initiate sort lock upgrade downgrade rebook reserve schedule amend edit alter
        revise assign remit append attach pull drop shift slide bump flip redirect convert
        file"""

_FINISHED = """processed submitted completed updated added applied removed refunded issued
        finalized finalised corrected fixed registered secured reimbursed upgraded downgraded
        moved rebooked scheduled amended edited altered revised assigned credited adjusted
        entered lodged executed arranged effected initiated switched swapped changed
        made recorded filed enacted effectuated reserved confirmed locked sent enrolled
        squared wrapped sealed carried canceled cancelled logged returned exchanged actioned
        requested charged"""

LISTS = {
    "DO": _DOING + " ACT",
    "DOED": " ".join(form for verb in _DOING.split() for form in verb_forms(verb).past)
    + f" {_FINISHED} ACTED",
    "DOING": " ".join(form for verb in _DOING.split() for form in verb_forms(verb).gerund)
    + " ACTING",
    "FINISHED": _FINISHED + " ACTED",
    "US": "me us",
    "I": "i we",
    "GIVE": """provide share give tell send supply furnish specify state indicate enter submit
        confirm verify select choose pick name advise inform clarify describe mention list
        include write drop say identify repeat spell remind disclose present quote fill reply
        respond answer decide enlighten shoot text type pass throw hit fetch read communicate
        relay divulge offer put post paste hand toss lay show bring pop forward message dm
        report declare impart confide reveal slide fire elect supplying telling giving sharing
        providing sending specifying confirming naming letting indicating""",
    "WH": "what which where when who whom whose how why whether",
    "NICE": """ok good great right correct fine fair acceptable agreeable alright accurate
        suitable satisfactory perfect dandy proper well cool splendid nice""",
    "CONSENT": """approval consent permission assent sanction authorization authorisation
        blessing agreement acceptance leave nod clearance confirmation approbation concurrence""",
    "SUITS": """sounds looks works suits suit pleases agree approve accept agreeable
        acceptable satisfactory suitable satisfied alright ok okay fits consent concur feels""",
    "SOUND": "sound sounds look looks work works seem seems feel feels read reads suit suits",
    "MOVE": """transfer transferring connect connecting pass passing hand handing put putting
        pop popping escalate escalating forward forwarding route routing direct directing
        refer referring present presenting introduce introducing convey conveying bring
        bringing get getting patch patching link linking switch switching loop looping call
        calling fetch fetching send sending give giving turn turning move moving take taking
        summon summoning entrust entrusting deliver delivering steer find finding flag raise
        raising hook hooking pull pulling ring page bump bumping XFER XFERING XFERED passed
        handed escalated transferred forwarded referred routed directed assigned connected
        brought got grab grabbing hail hailing escort escorted escorting involve involving""",
    "LOOK": """check look see pull find verify open review fetch search dig peek glance
        examine consult retrieve load investigate inspect scan access bring study read peruse
        browse hunt view""",
    "LOOKING": """checking looking pulling finding verifying opening reviewing fetching
        searching digging examining consulting retrieving loading investigating inspecting
        scanning accessing working bringing studying reading""",
    "HELP": "help assist assistance serve service aid support",
    "ABLE": """recoverable assignable reimbursable claimable redeemable payable obtainable
        achievable extendable extensible combinable convertible reversible applicable acceptable
        workable manageable practicable adjustable amendable alterable reschedulable waivable
        compensable transferable viable tenable""",
    "QUESTION": """question questions doubt doubts query queries request requests concern concerns
        matter matters""",
}
"""Named lists, for ``{NAME}`` in a pattern."""

FAMILIES = ASKING | TELLING
"""All families of patterns by name."""
