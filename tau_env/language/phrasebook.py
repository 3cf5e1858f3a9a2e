"""How English-speaking service agents ask, propose, report, refuse and take leave.

Broad patterns in the notation of `patterns`, over words tagged as `tagging` does. Data only; what
a set of hits means is decided in `acts`.
"""

from __future__ import annotations

from tau_env.language.inflection import verb_forms

_DOING = """refund process submit complete apply add remove update adjust issue charge place arrange
    set put pop make do finalize finalise execute credit correct fix enter register lodge push move
    use secure settle perform implement effect reimburse waive start initiate sort lock upgrade
    downgrade rebook reserve schedule amend edit alter revise assign remit append attach pull drop
    shift slide bump flip redirect convert file""".split()

_FINISHED = """processed submitted completed updated added applied removed refunded issued finalized
    finalised corrected fixed registered secured reimbursed upgraded downgraded moved rebooked
    scheduled amended edited altered revised assigned credited adjusted entered lodged executed
    arranged effected initiated placed switched swapped changed made recorded filed enacted
    effectuated reserved confirmed locked sent registered enrolled squared wrapped sealed carried canceled
    cancelled logged returned exchanged actioned confirmed"""

LISTS = {
    "DO": " ".join(_DOING) + " ACT",
    "DOED": " ".join(form for verb in _DOING for form in verb_forms(verb).past)
    + f" {_FINISHED} ACTED",
    "DOING": " ".join(form for verb in _DOING for form in verb_forms(verb).gerund) + " ACTING",
    "FINISHED": _FINISHED + " ACTED",
    "US": "me us",
    "I": "i we",
    "GIVE": """provide share give tell send supply furnish specify state indicate enter submit
        confirm verify select choose pick name advise inform clarify describe mention list include
        write drop say identify repeat spell remind disclose present quote fill reply respond
        answer decide enlighten shoot text type pass throw hit fetch read communicate relay divulge
        offer put post paste hand toss lay show bring pop forward message dm report
        declare impart confide reveal slide fire elect supplying telling giving
        sharing providing sending specifying confirming naming letting indicating""",
    "WH": "what which where when who whom whose how why whether",
    "NICE": """ok good great right correct fine fair acceptable agreeable alright accurate suitable
        satisfactory perfect dandy proper well cool splendid nice""",
    "CONSENT": """approval consent permission assent sanction authorization authorisation blessing
        agreement acceptance leave nod clearance confirmation approbation concurrence""",
    "SUITS": """sounds looks works suits suit pleases agree
        approve accept agreeable acceptable satisfactory suitable satisfied alright ok okay fits
        consent concur feels""",
    "SOUND": "sound sounds look looks work works seem seems feel feels read reads suit suits",
    "MOVE": """transfer transferring connect connecting pass passing hand handing put putting pop
        popping escalate escalating forward forwarding route routing direct directing refer
        referring present presenting introduce introducing convey conveying bring bringing get
        getting patch patching link linking switch switching loop looping call calling fetch
        fetching send sending give giving turn turning move moving take taking summon summoning
        entrust entrusting deliver delivering steer find finding flag raise raising hook hooking
        pull pulling ring page bump bumping XFER XFERING XFERED passed handed escalated
        transferred forwarded referred routed directed assigned connected brought got passed putting grab grabbing hail hailing escort escorting
        involve involving""",
    "LOOK": """check look see pull find verify open review fetch search dig peek glance examine
        consult retrieve load investigate inspect scan access bring study read peruse browse hunt
        view""",
    "LOOKING": """checking looking pulling finding verifying opening reviewing fetching searching
        digging examining consulting retrieving loading investigating inspecting scanning accessing
        working bringing studying reading""",
    "HELP": "help assist assistance serve service aid support",
    "QUESTION": "question questions query queries request requests concern concerns matter matters",
}

FAMILIES = {
    # The form of a question to the customer, whatever mark ends it.
    "question": """
        ^ may|can|could|might i|we !will|can|also|help
        ^ would|could|can|will|do|did|are|have|were you
        ^ is|are|was|were|does|do|did|has there|it|that|this|these|your|the
        ^^ what|which|where|when|who|whose|how !ever|as|it|they|you|i|we|this|that|a
        ^ what|where|when|who|how is|are|do|does|did|would|should|can|could|will|was|many|much|about
        ^ which|what DET|RECORD|IDENT|RECID|one|ones|of|option
        ^ for|in|on|about|to|under|from|with|by|of|at|upon what|which|whom
        ^ mind if|giving|sharing|telling|sending|i|me
        ^ any chance|preference
        {I} wonder|wondering
    """,
    # A question word.
    "wh": """
        what|which|where|when|who|whose|how|whether|why
    """,
    # The customer is asked to say something, without the form of a question.
    "request": """
        not ~3 clear|sure|certain|know|tell|obvious|say ~3 which|what|whether
        unclear|unsure ~2 which|what|whether
        hate|afraid|want|wish to ~1 pick|choose|guess|assume
        just tell {US}
        ^ {GIVE} ~1 your|the|a|an|which|what|whether|how|when|where|who|why|IDENT|RECID|DET|one|either|it|me|us|between
        please ~2 {GIVE}
        let {US} know
        let {US} ~1 have|get|hear
        {I} ~3 need|require|want|seek|lack|needing|requiring|missing|wanting !to|you|any|not|is|are|by|be|help|anything|assistance|further|more
        ^ need|require|needing|requiring|want|wanting !to|you|any|not|help|anything|assistance|further|more
        require|requires ~2 IDENT|RECID|DET
        requested|asked|invited|encouraged|urged to ~2 {GIVE}|elect
        need|needs|want|wish|like|love|have|required|obliged|remains|must|ask|needing ~4 to ~1 know|hear|ask|learn|understand|request|obtain|confirm|verify|collect|note|enter|record|identify|have|get|establish|see
        must|should ~1 know|have|ask|request|obtain|trouble|first|enquire|inquire
        could|can|would|will|might|may|must|should you ~5 {GIVE}
        you ~2 {GIVE} ~1 {US}|your
        you ~2 to {GIVE}
        if you ~5 {GIVE}
        that you ~2 {GIVE} {US}|your|the
        help|helps|helpful|useful ~3 to ~1 know|have|understand|learn
        wait|waiting|await|awaiting|looking|all|only|just|missing|ask|asking|bother|trouble|pray ~2 for your|the|an|a
        may|can|could|might {I} ~3 have|ask|get|request|grab|trouble|know|inquire|enquire|venture|beg|bother
        tell|remind|inform|enlighten|advise|apprise|give|send|show|drop|shoot|hit|hand|pass|text|lend|spare|toss|throw|slide {US}
        what {I} ~3 need|require|want ~2 from|:|is
        only|one|last|remaining|open|final ~1 question|point|piece|detail|matter|unknown ~3 is|are|left|remains
        {I} ~1 wonder|wondering|curious ~2 {WH}|about|if
        make ~1 your ~2 DET|choice|wishes|preference ~1 known
        pick|choose|select one|whichever|between|from|either|what
        up to you
        all|only|just ~1 {I} ~1 need|lack|miss|require
        be|is|are guided ~2 by
        obliged|grateful|appreciate ~2 if|were
        {US}|i ~1 ask|ask|asking ~3 {WH}
        system|form|we|i ~2 asks|asking|asked ~2 for|me|the
    """,
    # What is lacking, named before or after the word.
    "needed": """
        without ~2 IDENT|RECID
        not ~2 have|see|seem|seen|got ~3 IDENT|RECID
        not ~1 been? indicated|given|provided|specified|supplied|stated|mentioned
        must|should|to|shall be ~1 stated|given|provided|indicated|specified|supplied|furnished|named|chosen|selected|entered
        until|unless|once you ~3 furnished|furnish|provided|provide|given|give|supplied|supply|shared|share
        required|needed|requested|missing fields|info|information|field
        needed|missing|required|pending|outstanding|necessary|requested|mandatory|lacking|requires !by|to|because|for
        your choice|pick|preference|selection|call
        input|info|information|details ~1 needed|required|missing
        {I} ~3 need ~5 :
        suffice|suffices
        appreciated $
    """,
    # A choice is left to the customer.
    "choice": """
        do|would|will|did|are you ~8 or
        which|whichever|prefer|preferred|preference|rather|choose|pick|select|choice|choices|favourite|favorite|choosing|option|options|either|selection
        whether ~20 or
    """,
    # The customer is asked to agree.
    "confirm": """
        say|reply|respond|type|answer|write|text ~2 ok|go|sure|agreed|approve
        {CONSENT} ~2 awaited|needed|required|requested|sought|welcome
        if you ~2 mind|object
        affirmative
        like|want|need|love|take|hear|wait|waiting|after ~4 yes
        tell|let|shout|stop|say|holler|unless ~4 if ~6 wrong|off|amiss|incorrect|mistaken|misunderstood|misread|differently
        ^ correct me
        ^ unless you ~3 object|mind|stop|say|disagree
        {CONSENT} from you
        one|single nod|word
        you ~1 down|in|good|game|cool QM
        say|tell ~3 that|it|what ~3 want|wanted
        your ~1 sign
        sign off
        that|this ~2 what you want|wanted|meant|mean|prefer ~2 QM
        go / no
        have we ~3 deal|agreement
        we ~3 deal QM
        {I} ~1 have|got your ~2 yes|go|ok|approval|word|blessing
        your yes|go
        {SOUND}|sit|sits right|good with ~2 you
        would|will|is|was that|this|it ~3 want|wanted|like|wish|prefer|mind|intend ~2 QM
        request|requests|requesting|seek|seeking ~2 {CONSENT}
        waiting|awaiting|wait|await ~2 ok|yes|nod|go|word|answer
        {CONSENT} QM
        ^ shall|should|may|can|could|might|do|must|would {I} ~3 {DO}|proceed|continue|carry|finalize|begin|start|act|go !anything|something|have|for
        have|do {I} ~1 have? your
        ^ shall|should {I} ~3 QM
        {I} ~1 can|may|shall|could|should|go ~1 do|proceed|{DO}|continue !for ~6 QM
        would|do|did|are|will|should|can|could|if|that|whether you ~4 like|want|wish|prefer|ok|happy|fine|comfortable|ready|good|care|content|willing|agreeable ~3 to|with|for ~4 {DO}|proceed|continue|go|ahead|{DOING}|this|these|that|it
        like|want|wish|prefer|care {US} to {DO}|proceed|continue|go|do|make|carry
        you ~2 like|want|wish ~1 to ~1 proceed|continue|go
        proceed|continue|proceeding ~4 QM
        go|going ahead ~6 QM
        ^ ready QM
        ready to ~1 proceed|go|{DO}|confirm|continue ~3 QM
        ^ confirm|approve|approved|agree|agreed|ok|accept|proceed|continue|authorize|correct|affirm ~3 QM
        confirm|confirmation $
        ^ confirm|approve|authorize|accept|agree|proceed|affirm|confirmation :|/|,
        please|you|to|kindly|could|must|just|need ~2 confirm|affirm|acknowledge|validate that|if|whether|this|these|to|you|everything|all|with|by|so|it|and|for|below|before|correct|or|/|:|,
        confirm ~1 the ~2 following|above|change|changes|details|ACT|ACTING|correctness|accuracy
        ^ confirm that|if|whether|this|these|to|everything|all|with|by|so|it
        confirmation|approval|authorization|consent required|needed|pending|requested|please|:
        is|does|do|are|if|whether|all|everything|this|it|that|whole|same|all ~6 {SOUND} ~3 {NICE}
        is|are|was|does ~5 {NICE} ~5 QM
        {SOUND} ~2 {NICE}|plan|deal|way ~6 QM
        {SOUND} ~1 for|to you
        ok|correct|agreed|agree|deal|right|alright|good|yes|accept|fine ~1 QM
        ^ ok|good|cool|fine ~2 with ~2 you|that|this|it
        yes|y / no|n
        yes or no
        or no|not ~1 QM
        or no $
        say|reply|respond|type|answer|write|tell|give|send|text|speak|with|by|saying|simple|enter|hear ~3 yes|confirm|confirmed|y
        say|give|speak|await|awaits|awaiting|your|need|at|upon|on the|your|a ~1 word
        say|saying so $
        say|saying so ~2 and|,|i
        say|give|need|await|get|have|with|your|need|want|love ~4 go ahead|signal|light
        green light
        thumbs up
        with|your|have|await|awaiting|awaits|need|upon|pending|give|grant|without|subject|obtain|require|express|explicit|favoured|request|requests|crave ~3 {CONSENT}
        if|provided|should|were|unless|assuming ~6 {SUITS}
        if|provided|assuming ~4 is|are|'s ~3 {NICE}
        if|once|when|after|provided|until|unless you ~1 are|'re? ~2 happy|comfortable|good|fine|ok|content|ready|agreed with|to|for|,
        if|once|when|after|until|as|before you ~2 confirm|agree|approve|accept|consent|authorize|say
        do|if|then you|we ~1 agree|accept|approve|consent|authorize|authorise|concur
        ^ you ~1 agree|accept|approve|consent|authorize
        are we|you ~1 agreed|aligned|in
        are|is you ~2 ok|sure|good|agree|fine|happy|cool|down|agreed|certain|on
        ok|good|cool|fine|happy|alright with you|this|that
        {I} ~1 await|awaiting your
        good|clear to proceed|go
        happy|ready to proceed|go ~4 QM
        do it QM
        want|wish|like ~1 to ~2 proceed|continue|move
        want|wish|like that|this|it ~1 QM
        make it official|happen ~3 QM
        ^ check|review ~3 details|above|below|over|carefully
        please ~1 check|review|verify ~3 details|above|below|over|carefully
        yes to|and|so|when|for ~2 {DO}|proceed|confirm|authorize|continue|this
        say|just go
        be done|made|{DOED} QM
        still want|wish
        what do you say
        what say you
        are we ~2 go|agreed|good|on|set
        any|no ~1 objection|objections
        am i to understand
    """,
    # Whether the record meant is this one.
    "identifies": """
        if|whether|is|are this|that|it|either|these|those ~4 is|are the|your RECORD|RECID
        if|whether ~5 is|are the|your ~3 you ~2 want|wish|mean|meant|like|refer|referring
        is|are this|that|it|these|those ~1 the|your RECORD|RECID
        is|are this|that|it|these|those ~1 the one|ones you ~2 mean|meant|want|wish|refer|referring
    """,
    # Words of agreement that ask for none.
    "unconfirm": """
        if you ~6 proceed|continue ~10 please provide|give|share|specify|send|choose|select|tell|state|enter
        proceed|like|want ~3 any|anything|something other|else|more|changes
        like|want to make any
        email|order|booking|reservation|IDENT|RECORD|DET confirmation
        if|whether ~5 is|are the|your ~3 you ~2 want|wish|mean|meant|like|refer|referring
        if|whether this|that|it|either ~4 is|are the|your RECORD|RECID
        {I} ~2 say yes
        hope|hoping|glad|happy|sorry ~10 {SUITS}|{NICE}
        so|then|before|until|and|that {I} can|could|may|will ~1 proceed|{DO}|continue|go|do
        whenever|when you ~4 ready|like|wish|want
        note ~8 {SUITS}
        see|check|know|sure if|whether ~8 {SUITS}|{NICE}
    """,
    # Anything else?
    "more": """
        got|have any more|other|further
        any more ~2 QM
        how {I} can|may ~1 {HELP}
        any other ACT|ACTING|changes|modifications
        that|this|it everything|all QM|or
        whenever|anytime you ~1 need|want|like|wish|require
        other thing|things QM
        further|next orders|instructions|wishes
        ^ wish|want|need other|another|more|anything
        anything|something|aught|anythin|nothing ~1 else|more|further|besides|other|additional
        any|some|other|further|additional|another|new|all|different|next ~2 {QUESTION}
        any|other|further|additional|another|else|more ~1 {HELP}|issue|issues|needs|inquiry|inquiries|enquiries|respect|regard|questions
        what|who|how|where else
        how ~1 can|may|could|might {I} ~2 {HELP}
        what can|may {I} ~2 do|help|get
        ^ is|was|will|would|be that|this|it|you ~3 all|everything ~4 QM
        that|be|is|it all|everything ~3 for|today|now|then|QM
        that|be all $
        feel free to? ~2 ask|reach|let|contact|write|message|say
        here|around|available if|whenever|should|any|ever ~3 you|need|ever|else|questions|anything|help
        reach out anytime|again|whenever|if|any
        come|write|check back|again|say|to ~1 any|if|whenever|hi|us|anytime|soon
        message|click|chat|shout|holler away
        holler|shout|ping|whistle if|whenever|should
        need|wish|want|require ~2 anything|else|further
        else ~1 {I} ~1 can|may|could|do|help
        should|if you ~3 need|require ~4 assistance|help|us|further|again|else
        assist|help|serve|do ~1 you? ~2 today|further|otherwise|else QM
        next|other|further request|question|questions|item|issue
        next|what is next QM
        you? need|want anything|something ~4 QM
        further|more|otherwise|else ~3 be ~1 of ~2 {HELP}
    """,
    # "Else" that offers nothing.
    "unmore": """
        and|or|but nothing|anything else|more $
        before|above|than|without|whatever anything|everything|all else|more
        unless|if ~4 else changes|happens
    """,
    # Leave-taking.
    "closing": """
        have|enjoy|wish|wishing|bid ~4 day|evening|night|weekend|week|afternoon|morning|one|journey|trip|flight|rest
        take care
        goodbye|bye|farewell|byebye|cheerio|godspeed|adios|ciao|ttyl|cya|adieu|toodles
        good day|night|bye $
        see you ~3 $
        thank|thanks|gratitude|grateful ~2 for ~2 shopping|flying|chatting|patronage|business|custom|traveling|travelling|loyalty|visiting
        been|was|truly|always|such ~2 pleasure|joy|delight|honour|honor|privilege|treat
        pleasure|joy|honour|honor ~3 helping|assisting|serving|chatting
        glad|happy|delighted|pleased to have ~ helped|assisted|been
        glad|happy|delighted|pleased {I} could|can
        ^ you are ~2 welcome
        until ~1 next|then|we
        safe|happy|pleasant|smooth travels|travel|flight|trip|journey|journeys|shopping|flying|trails|DET|RECORD
        ^ have|enjoy a|your|the ~2 DET|RECORD
        catch|talk|speak|see|chat you ~1 later|soon|around
        appreciate ~1 your ~1 business|patronage|partnership|loyalty|custom|choosing
        peace out
        later $
        bon voyage
        fair winds
        case|session|chat|conversation|ticket ~2 closed|ended|concluded
        glad|happy to help $
        best wishes|regards
        until ~3 again
        ^ come ~3 again|anytime|back
        ^ no problem|worries|trouble $
        ^ anytime $
        signing off
        over and out
    """,
    # The agent hands over to a human, or offers to.
    "transfer": """
        HUMAN ~10 introduce|introducing|connect|connecting|transfer|transferring|XFER|XFERING you
        walk|bring|send|hop you ~1 over|through|across|along to|,|QM|now
        walk|bring|send|hop you ~1 over|across $
        walking|bringing|sending|getting you ~2 over|across
        let|have|ask ~3 HUMAN ~2 take|help|handle|look|contact|call|carry|pick|sort|finish|join
        HUMAN ~2 can|could|will|may ~1 carry|pick|run|handle|finish|sort
        {MOVE} you|this|your|the|them|him|it|things|that|her|case ~6 HUMAN
        {MOVE} ~5 HUMAN
        ACT|ACTING you ~4 HUMAN
        XFER|XFERING|route|send|sending|connect|walk|refer|routing|pass|passing you ~1 to|over|with|on ~2 one|someone|somebody
        XFER|XFERING|XFERED|patch|patching|connect|transfer you ~2 over|to|through|with|now|QM
        XFER|XFERING|XFERED you $
        DO|put|putting|patch|patching|pass|passing you ~1 through|over|along
        HUMAN ~2 will|shall|can|could|is|to|who|would !not ~4 take|join|help|assist|hop|step|contact|call|reach|continue|be|pick|resume|look|handle|get
        speak|talk|chat|speaking|talking|chatting|deal|discuss|converse ~2 to|with ~3 HUMAN
        XFER : ~4 HUMAN|human
        : XFER
        HUMAN QM XFER
        ^ XFER QM
        XFER|XFERING|transfer|handover|handoff to|: ~3 HUMAN
        XFER|XFERING ~2 $
        team|someone|somebody ~4 who ~2 can|could|may|is
        want|like|prefer|wish ~2 HUMAN QM
        HUMAN ~2 available|standing|ready|queue|next|coming|joining|way
        in whose|their hands
        bring|get|fetch|call|find ~2 someone|somebody
        XFER ~2 with|to someone|somebody|another
        HUMAN instead ~2 QM
        HUMAN QM
    """,
    # No.
    "refuse": """
        {I} ~1 can|could not help you|with
        not ~1 provided|foreseen|envisaged for?
        preclude|precludes|disallow|disallows|rules any|out|all
        city|route|origin|destination|price|fare|date|RECORD|DET|count|number ~2 is|are ~1 fixed|final|locked
        set in stone
        do|does|will|would not budge|bend|stretch|move
        not ~1 touch
        afraid not
        hard ~1 limit|constraint|rule|no|stop
        can not ~1 to? be ~1 {DOED}|realized|realised|accommodated|honoured|honored
        rules are rules
        no refund|refunds|change|changes|return|returns|exchange|exchanges
        ruled|rules|rule out
        leave|leaves ~2 no|not|little ~1 room|leeway|wiggle
        door|window ~5 closed|shut|passed
        beyond|above|outside ~3 what|pay|permits|allows|limits
        lies|falls|sits|is ~2 beyond|outside
        it|that|answer|is|'s a ~1 no
        a|hard|firm|flat no from|on|there
        no wiggle|room|flexibility|leeway|dice
        {I} regret|regrets that
        past ~2 point|stage|window|deadline
        not ~1 in the cards|question
        can not|no do $
        allowed|eligible|possible|permitted|available|approved|refundable : false|not|denied
        allowed|eligible|possible|permitted false
        unfortunately|regrettably|alas|regretfully|sadly
        {I} ~2 can|could|may|will|do|would|shall|are|am not !find|say|assume|guess|just|yet|match|recognize|make|presume|going|here|seem|appear|a|an|the|help|already|recall|sure|locate|see|wait|believe|tell|want|imagine|know|think|need|have|quite|sure|mind|miss ~
        {I} ~2 do|have not|no ~1 have ~2 authority|access|power|ability|way|option|permission|means|tools
        have|has|got no|zero|not ~2 authority|access|power|ability|way|option|permission|means|say
        can|could|may|must|shall|will not ~2 be !undone|reversed|found|located
        can|could|may not ~1 ACT|{DO}|offer|grant|make|give|provide|accommodate|honor|honour|accept|permit|allow|help|assist|happen|extend|override|bend|approve|mix|split|combine|use|price
        not ~2 able|possible|allowed|permitted|eligible|permissible|permit|allow|authorized|authorised|supported|covered|entitled|refundable|doable|feasible|transferable|allowable|let|qualify|qualified|cover|negotiable|available|accepted|offered|paying|valid|applicable|changeable|exchangeable|returnable|cancelable|cancellable|modifiable
        not ~1 a|an|in|one|at|within ~1 option|position|choice|service|possibility|liberty|power
        not something|anything|what|how|on|part
        is|was|be|are|there no ~2 longer|way|possible|option|possibility|exceptions|exception|such|going|room|means
        no longer ~3 ACT|ACTED|possible|open|available|allowed|option|eligible|permitted|{DOED}
        unable|powerless|incapable to ~1 !find|locate|see
        prohibited|prohibits|prohibit|forbidden|forbids|forbid|ineligible|nonrefundable|impossible|declined|denied|disallowed|rejected|barred|precluded|precludes|unavailable|disallows|restricts|nontransferable|refused|verboten|impermissible|inadmissible|untenable
        non refundable|changeable|transferable|returnable|negotiable
        no exceptions|exception|way|refunds|refund|changes|can|dice|go|such|exchanges|returns|cancellations|ACT|provision|ACTING
        must|to|shall|i|we ~1 respectfully? decline|refuse|deny|reject
        have|had|got to ~1 say no
        turn|turning ~3 down
        against ~2 policy|rules|regulations|rule|terms
        outside|beyond|exceeds|contrary ~3 scope|power|powers|authority|policy|control|ability|reach|window|remit|mandate|rules|purview|deadline|gift
        hands are|'s? ~1 tied
        off the table
        out of ~2 question|hands|reach|luck|bounds|scope|power
        wish {I} ~1 could|had
        would|love to ~3 but
        afraid ~6 not|no|only|unable|impossible
        answer|it|is 's|is|be|hard ~2 no $
        allowed|eligible|possible|permitted|available|approved|refundable|outcome|result|decision : no|not|none|declined|denied
        rules|policy|policies|terms|system|regulations|law|fare|fares|ticket|tickets|rule|conditions|house|shop|store|airline|company|insurance|warranty ~3 do|does|will|can|may not
        rules|policy|policies|terms|system|regulations|law|fare|ticket|rule|conditions|house|shop|store|airline ~3 do|does|will|can|is|are|not ~1 not|allow|forbid|forbids|prohibit|prohibits|countenance|prevent|prevents|stop|stops|bar|bars|disallow
        only ~3 ACT|ACTED|be ~4 if|within|before
        too late
        only be ~1 ACTED for|with|into
        is|are|'s a|an? no
        prevents|prevent|bars|stops|keeps|preventing {US} from
        sorry ~3 but|no|can
        do|does|will|would|is not ~2 qualify|meet|apply|extend|include|happen|permit|allow|cover|let
        not ~2 going to ~2 happen|work|be|fly
        never ~2 ACT|{DO}|allow|be|permit|change|ACTED|{DOED}
        not happening
        ^^ can not !find|locate|see|wait|believe|leave|go|beat|blame
        WORD|DET|VAL only $
    """,
    # Negations that refuse nothing.
    "unrefuse": """
        not ~6 without
        not help noticing|but|wondering
        no change|refund|return|exchange ~1 fee|fees|needed|required
        not ~1 too late
        not ~2 until|unless
        can|could not ~1 tell|say which|what|who|whether
        or not
        why not
        not ~2 want|wish|like ~3 to presume|assume|guess
        not ~1 entirely|quite|certain|sure|fully|mistaken
        go / no
        not ~2 been? indicated|given|provided|specified|supplied|stated|mentioned
        not ~6 until|unless you ~3 furnished|provided|given|confirm|share
        can|could|will|would|do|does|did|have|has|had|am|was|were not ~2 find|locate|see|wait|undone|reversed|go wrong|believe|found|yet|worry|hesitate|match|recognize|miss
        unable to ~1 find|locate|see|match|identify
        not ~3 worry|hesitate|yet
        if|should|unless|whenever|in you|it|this|that|any ~4 not|unable|impossible
        not ~1 made|done|started|change|changed|booked|touched|{DOED}|act ~4 yet|so|anything|until|without
        no longer ~2 needed|need|want|wanted
        no extra|additional|cost|charge|fee|fees|problem|worries|trouble|change ~
        not mind
        not ~3 want|wish|like|need|require|forget|close
        not ~3 be ~3 able ~3 after|once|again
        {DOED} declined|denied
    """,
    # A finished action.
    "done": """
        all ~1 {FINISHED}
        you ~1 sorted|set $
        you sorted|set ,
        ^ {FINISHED} $
        was|were ~1 {FINISHED} successfully
        stands|stood ~1 {FINISHED}
        has|have been carried|seen
        with success
        successfully $
        it was|is now? done
        {I} ~1 put ~4 through
        ^ locked|booked in|,
        RECORD|ACT|it|that|seat|seats|bag|exchange|DET|everything ~3 is|are ~1 confirmed|registered|secured|locked|actioned $
        seats|seat|DET|RECORD is|are confirmed on|for|in
        your ACT|refund ~5 is in $
        ^ ACT|RECORD|refund|change|changes|update ~1 {FINISHED}|done|complete|sent|successful|executed
        {I} ~2 gone|went ahead and? ~1 {FINISHED}
        ACT|RECORD|refund|it|that|exchange ~3 is|are|was|were ~1 registered|submitted|processed|cancelled|canceled|locked|recorded|booked !within|by|if|when|once|only|to|usually|automatically
        refund|money|dollars|label|VAL ~3 is|are|'s ~1 on its|their|the way
        is|are|'s ~1 locked in
        in the books|bag|system
        that is|'s a wrap
        {I} ~1 have|just|went ~2 {FINISHED}
        has|have been ~2 {DOED}|effected|made|issued|placed|booked|completed|processed|finished
        is|are|'s|was|were|am|has now|successfully|officially|hereby|also|duly|all|both ~1 {FINISHED}
        RECORD|VAL|it|one|that|NUM|first|exchange|ACT|reservation|order 's|is ~1 {FINISHED}|done $
        {I} have|'s|just|already|now|also|successfully|went|hereby ~2 {FINISHED}|done|taken|sent|swapped|sorted
        {I} {FINISHED}
        {I} did|done it|that|this
        successfully ~2 {FINISHED}
        ^ successful|success
        {FINISHED} successfully|already
        ^ ACTED|refunded|booked|processed|submitted|updated|confirmed|upgraded|added !by|with|in|on|from|within ~
        ^ ACTED|refunded|booked|processed|submitted|updated|confirmed|upgraded|added $
        ^ done|sorted|completed|finished|complete|accomplished !by|so
        RECORD|it|that|this|everything|all|NUM|one|exchange|ACT|VAL 's|is|are|now|has|shows ~2 done|sorted|complete|finished|official|settled|through|secured|effected|finalized|finalised|concluded|handled|finish|{FINISHED}
        is|are now ~1 {FINISHED}|on|in|set|registered|live|headed|scheduled|under
        all|everything|you|that|it|now is|are ~2 done|set|sorted|settled|handled|squared|wrapped|booked
        all done|set|sorted|fixed|squared !with|to
        consider it|that|this ~1 done|{FINISHED}
        RECORD|it|that|ACT|everything|payment|change|refund|VAL ~2 went|gone through
        taken care of
        mission|job|deed ~1 accomplished|done
        status|result|outcome|action|NUM : ~2 {FINISHED}|success|complete|completed|done|confirmed|ok|submitted|finished|executed|successful
        , {FINISHED}|done|submitted|completed $
        now shows|reflects|reads|stands
        moved|switched|set from|to|over ~8 successfully
    """,
    # Not finished, though a finished form stands there.
    "undone": """
        you ~2 {DOED}
        may|might|could ~1 have ~1 {DOED}
        can|could|may|might|must|should|will|would be ~3 {DOED} ~1 or|and|, ~1 {DOED}
        can|could|may|might|must|should|will|would be ~6 {DOED} only
        , not {DOED}
        will|would|can|could|may|must|to|shall|should|might be|get|have ~3 {DOED}|done|sorted|set|completed|finalized|processed|made
        once|if|when|until|after|before|unless|while|should ~8 {DOED}|done|complete|set|sorted|finished|through|completed|settled|handled|ready
        not|never|nothing|no ~3 {DOED}|done|complete|completed|been
        {DOED} by|within|from|when|originally|at
        being ~2 {DOED}
        want|wants|like|wish|need|have|see|wanted it|this|that|them|these|the ~4 {DOED}|done
        you have|had ~2 {DOED}
        be|get|gets ~1 {DOED}
        which|that|who is|was|are|were ~2 {DOED}
        already {DOED}|been ~1 delivered|used|flown
        all set to
    """,
    # The agent says what it would do.
    "will": """
        ^ will|would|can|could|shall|intend|plan|propose|proposing|intending|aim ~1 to? {DO}
        {I} ~3 intend|plan|propose|mean|reckon ~4 {DO}|ACTING
        {I} ~4 go on|ahead and ~1 {DO}
        {I} ~2 will|can|could|would|shall|may|might|should|must ~3 {DO}|be
        {I} ~2 am|are|was|were ~2 going|ready|about|prepared|happy|glad|able|set|planning|{DOING} ~2
        {I} {DO}
        let {US} ~1 {DO}
        ^ ACT|ACTING ~
        would|will|can|shall|could|may|should be ~3 {DOED}|{DOING}|charged|refunded|credited|returned|put|placed|sent
        action|plan|proposal|proposed|summary|recap|change|quote|operation|step|task|next :
        {I} ~3 to {DO}
    """,
    # It would do something, whatever the verb: counts where a value stands beside it.
    "offer": """
        {I} ~1 will|can|could|would|shall|might !not|need|like|love|want|know|be|have|appreciate|only|also|hate|suggest|recommend|help|assist|see|look|check|find|tell|say|ask|require|get|offer|understand|confirm|verify|think|hope|review|pull|search|just|take ~
        {I} ~1 will|can|could|would|shall|might ~1 take ~4 off|out|from|away
    """,
    # "One moment."
    "hold": """
        one|a|two|few|another|just|wee|NUM ~2 moment|second|minute|minutes|seconds|moments|mo|jiffy|instant|beat|while
        moment|second please
        hold|hang|sit on|tight|the
        bear with
        let {US} ~3 {LOOK}
        {I} ~3 {LOOK} ~3 now|up|into|at|for|this|that|the|your
        {I} ~2 am|are ~2 {LOOKING}
        ^ {LOOKING}
        right|be back
        please ~1 wait|hold
        stand|standing by
        give {US} ~3 moment|second|minute|minutes|seconds|mo
        on it
        brief moment|interval|pause
        {LOOKING} ~3 ,|now|for|your|the
        patience while
        {LOOKING} $
    """,
}
