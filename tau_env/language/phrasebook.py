"""How English-speaking service agents ask, propose, report, refuse and take leave.

Broad patterns in the notation of `patterns`, over words tagged as `tagging` does. Data only; what
a set of hits means is decided in `acts`.
"""

from __future__ import annotations

from tau_env.language.inflection import verb_forms

_DOING = """refund process submit complete apply add remove update adjust issue charge place arrange
    set put pop make do finalize finalise execute credit correct fix enter register lodge push move
    take secure settle perform implement effect reimburse waive start initiate sort lock upgrade
    downgrade rebook reserve schedule amend edit alter revise assign remit append attach pull drop
    shift slide bump flip redirect convert""".split()

LISTS = {
    "DO": " ".join(_DOING),
    "DOED": " ".join(form for verb in _DOING for form in verb_forms(verb).past),
    "DOING": " ".join(form for verb in _DOING for form in verb_forms(verb).gerund),
    "US": "me us",
    "I": "i we",
    "MAY": "may can could might shall should would will do did have are am must",
    "GIVE": """provide share give tell send supply furnish specify state indicate enter submit
        confirm verify select choose pick name advise inform clarify describe mention list include
        write drop say identify repeat spell remind disclose present quote note fill reply
        respond answer decide enlighten convey shoot text type pass throw hit fetch read
        communicate relay divulge offer put post paste hand let help toss lay show bring pop
        forward return dm ping report declare""",
    "WH": "what which where when who whom whose how why whether",
    "NICE": """ok good great right correct fine fair acceptable agreeable alright accurate suitable
        satisfactory perfect dandy proper well cool swell splendid nice""",
    "CONSENT": """approval consent permission assent sanction authorization authorisation blessing
        agreement acceptance leave nod clearance confirmation okay ok thumbs yes approbation
        concurrence acquiescence signoff""",
    "AGREE": """agree agrees approve accept consent authorize authorise proceed continue confirm
        ok good fine happy comfortable agreeable correct right satisfied acceptable suits suit
        works work sounds looks alright approved satisfactory meets please pleases""",
    "OK_VERB": "sound sounds look looks work works seem seems feel feels read reads suit suits",
    "MOVE": """transfer transferring connect connecting pass passing hand handing put putting pop
        popping escalate escalating forward forwarding route routing direct directing refer
        referring present presenting introduce introducing convey conveying bring bringing get
        getting patch patching link linking switch switching loop looping call calling fetch
        fetching send sending give giving turn turning move moving take taking summon summoning
        entrust entrusting deliver delivering steer find finding flag raise raising hook hooking
        pull pulling ring page kick kicking bump bumping XFER XFERING XFERED passed handed escalated
        transferred forwarded""",
    "LOOK": """check look see pull find verify open review fetch search dig peek glance examine
        consult retrieve load investigate inspect scan confirm access bring study read peruse
        browse hunt view""",
    "LOOKING": """checking looking pulling finding verifying opening reviewing fetching searching
        digging examining consulting retrieving loading investigating inspecting scanning accessing
        working bringing studying reading""",
    "HELP": "help assist assistance serve service aid support",
    "QUESTION": "question questions query queries request requests concern concerns matter matters",
}

FAMILIES = {
    # The form of a question to the customer, whatever mark ends it.
    "question": """
        ^ may|can|could|might {I}
        ^ would|could|can|will|do|did|are|have|were|would|wouldst you
        ^ is|are|was|were|does|do|did|has there|it|that|this|these|your|the
        ^ what|which|where|when|who|whose|how !ever
        ^ for|in|on|about|to|under|from|with|by|of|at|upon what|which|whom
        ^ {I} wonder|wondering
        ^ mind if|giving|sharing|telling|sending
        ^ any chance|preference
    """,
    # The customer is asked to say something, without the form of a question.
    "request": """
        ^ {GIVE} !me|you ~2 your|the|a|an|which|what|whether|how|when|where|who|why|IDENT|RECID|DET|one|either|it
        please ~2 {GIVE}
        please to? {GIVE}
        {GIVE} {US} !know|if ~
        let {US} know
        let {US} ~1 have|get|hear
        need|require|requires|requiring|needs|want|seek !to|you|a|any|not ~
        need|needs|want|wish|like|love|have|required|obliged|ask|remains|must ~1 to ~2 know|hear|ask|have|get|learn|understand|request|obtain|confirm|verify|collect|note|enter|record|identify
        must ~1 know|have|ask|request|obtain|trouble|first
        could|can|would|will|might|may|must|should you ~5 {GIVE}
        you ~2 {GIVE} ~2 {US}|your|the
        if|that you ~5 {GIVE}|could|would
        help|helps|helpful|useful ~3 know|have|understand|learn|if
        grateful|obliged|appreciate|appreciated|thankful|delighted|wonderful|great|lovely ~ if|for
        wait|waiting|await|awaiting|need|lack|lacking|missing for? your|the|an|a
        trouble|bother you for
        may|can|could|might {I} ~3 have|ask|get|request|grab|trouble|know|take|inquire|enquire|see|venture|beg|bother
        tell|remind|inform|enlighten|advise|apprise {US}
        what {I} ~3 need|require|want
        you ~2 need|have|must to? {GIVE}
        wonder|wondering|curious|guided ~2 {WH}|by
        make ~1 your ~3 known
        pick|choose|select one|whichever|between|from|either
        up to you
        all|only|just ~1 {I} ~1 need|lack|miss|require
    """,
    # What is lacking, named before or after the word.
    "needed": """
        needed|missing|required|pending|outstanding|necessary|needs|input|requested|mandatory|lacking !by|to|because
        please $
        your choice|pick|preference|selection|call|turn
        appreciated|suffice|suffices|do|works|help $
    """,
    # A choice is left to the customer.
    "choice": """
        which|whichever|prefer|preferred|preference|rather|choose|pick|select|choice|favourite|favorite|choosing|option|options|either|decide|selection
        whether ~20 or
        would|do|did|are you ~ or
        which of
    """,
    # The customer is asked to agree.
    "confirm": """
        ^ shall|should|may|can|could|might|do|will|must|would {I} ~3 ACT|{DO}|proceed|go|continue|do|make|carry|finalize|begin|start|run|then|now|act
        have {I} ~1 your
        ^ shall|should {I} ~3 $
        {I} ~1 can|may|shall|could|should ~1 do|proceed|ACT|{DO}|go|make ~4 $ ?
        would|do|did|are|will|should|shall|can|could|if|that|so you ~4 like|want|wish|prefer|okay|ok|happy|fine|comfortable|ready|good|care|content|willing|agreeable ~3 to|with|for ~4 ACT|{DO}|proceed|continue|go|make|ahead|ACTING|{DOING}|this|these|that|it
        like|want|wish|need|prefer|care {US} to ACT|{DO}|proceed|continue|go|do|make|carry
        proceed|continue|proceeding|continuing ?
        go ahead ~4 ?
        ^ ready to? ~3 ?
        ^ confirm|confirmed|confirming|approve|approved|agree|agreed|ok|accept|proceed|continue|authorize|correct|affirm ~3 ?
        confirm $
        ^ confirm|approve|authorize|accept|agree|proceed|affirm :|/|,
        confirm|confirmation|affirm|acknowledge that|if|whether|this|these|to|you|everything|all|with|by|so|it|and|for|below|before|required|needed|correct|or|/|:
        confirm the following|above|change|changes|details|cancellation|order|ACT|ACTING
        confirmation|approval|authorization|consent required|needed|pending|requested|please|:
        is|does|do|are|if|whether|that|all|everything|is|once|be|were|this|it|whole ~6 {OK_VERB} ~3 {NICE}
        is|are|was|does ~5 {NICE} ~5 ?
        {OK_VERB} ~2 {NICE}|plan|deal|way ~6 ?
        {OK_VERB} ~1 for|to you
        ok|okay|correct|agreed|agree|deal|right|alright|good|yes|yeah|accept|fine|no ~2 ?
        yes|y / no|n
        yes or no
        or no|not ~1 ?
        or no $
        say|reply|respond|type|answer|write|tell|give|send|text|speak|with|by|saying|simple|your|await|a|enter|just|need ~4 yes|confirm|proceed|confirmed|y
        say|give|speak|await|awaits|awaiting|your|need the|your|a ~2 word
        say|saying so ~
        say|give|need|await|get|have|with|your ~5 go ahead|signal|light
        green light
        go ahead
        thumbs up
        with|your|have|await|awaiting|awaits|need|upon|pending|give|grant|without|for|subject|obtain|require|express|explicit|favoured|request|requests ~5 {CONSENT}
        if|once|when|provided|unless|should|were|whether|as ~8 {AGREE} ~9
        do|are|if|you|then ~1 agree|accept|approve|consent|authorize|authorise|concur
        you ~1 ok|okay|sure|good|agree|fine|happy|cool|down|agreed with|?
        ok|okay|good|cool|fine|happy|alright with|by you|this|that
        {I} ~1 await|awaiting your
        give|grant ~2 approval|authorization
        happy|good to proceed|go
        do it ?
        want|wish|like|ready to ~2 proceed|continue|go ahead|move
        want|wish|like that ~1 ?
        make it official|happen ~3 ?
        check|review|verify|read ~5 details|above|below|over|correct|carefully
        yes to|if|and|or|so|when|for
        tell|say ~2 go
        be done|made|ACTED|executed ?
        still want|wish
        what do you say
        what say you
        are we ~2 go|agreed|good|on|set
        object|objection|objections
    """,
    # Anything else?
    "more": """
        anything|something|aught|anythin|nothing|somewhat ~1 else|more|further|besides|other|additional
        any|some|other|further|more|additional|another|new|next|all|different ~2 {QUESTION}
        any|other|further|more|additional|another|else ~2 {HELP}|thing|things|issue|issues|need|needs|inquiry|inquiries|enquiries|way|respect|regard|questions
        what|who|how|where else
        how ~2 can|may|could|might {I} ~2 {HELP}|do
        what can|may {I} ~2 do|help|get
        is|was|will|would|be that|this|it ~2 all|everything|it ?
        that|be|is all for|today|now|then|?
        is|be everything for|today|now|then|?
        is|be|being ~1 that be? all|everything
        feel free to? ~2 ask|reach|let|contact|write|message|say
        not|never hesitate
        here|around|available if|whenever|when|should|for|to|any you|ever|else|questions|anything|help|time
        reach out anytime|again|whenever|if|any
        come|write|check back|again|say|to any|if|whenever|hi|us|anytime|soon
        message|click|chat|shout|holler away
        holler|shout|ping|whistle if|whenever|should
        need|wish|want|require ~3 anything|else|further|more|other
        else {I} ~1 can|may|could|do|help
        should|if you ~3 need|require ~4 assistance|help|us|further|again|else|more
        assist|help|serve you ~4 today|further|otherwise|else ?
        everything you needed|need
        next|other|further|more request|question|questions|item|issue|?
    """,
    # Leave-taking.
    "closing": """
        have|enjoy|wish|wishing|bid|be ~4 day|evening|night|weekend|week|afternoon|morning|one|journey|trip|flight|rest|time
        take care
        goodbye|bye|farewell|byebye|cheerio|godspeed|adios|ciao|ttyl|cya|adieu|toodles
        good day|night|bye ~2 $
        see you ~3 $
        thank|thanks|gratitude|grateful ~2 for ~2 shopping|choosing|flying|contacting|chatting|patronage|business|custom|time|kindness|calling|traveling|travelling|loyalty|visiting
        been|was|my|truly|always|such ~2 pleasure|joy|delight|honour|honor|privilege|treat
        pleasure|joy|delight|honour|honor|glad|happy ~3 helping|assisting|serving|chatting|helped
        glad|happy|delighted|pleased to have ~ helped|assisted|been
        glad|happy|delighted|pleased {I} could|can
        you are ~2 welcome
        until ~1 next|then|we
        safe travels|travel|flight|trip|journey|journeys
        happy travels|shopping|flying|trails
        bon voyage
        fair winds
        case|session|chat|conversation|ticket ~2 closed|ended|complete|concluded
        enjoy ~4 $
        any time|day $
        glad|happy to help $
        best wishes|regards
        until ~3 again
        message|call away
        come ~3 again|anytime|back
        no problem|worries|trouble $
        signing off
        over and out
    """,
    # The agent hands over to a human, or offers to.
    "transfer": """
        {MOVE} you|this|your|ye|the|them|him|it|things|that|her|case ~6 HUMAN
        {MOVE} ~5 HUMAN
        transfer|transferring|connect|connecting|patch|patching|XFER|XFERING|XFERED you ~2 over|to|through|with|now|?|$
        put|putting|patch|patching|pass|passing you ~1 through|over|on to|along
        HUMAN ~2 will|shall|can|could|is|to|who|would !not ~4 take|join|help|assist|hop|step|contact|call|reach|continue|be|pick|resume|look|handle|get
        speak|talk|chat|speaking|talking|chatting|deal|discuss|converse ~2 to|with ~3 HUMAN
        XFER : ~4 HUMAN
        XFERING|XFER ~1 $
        : XFER
        HUMAN ? XFER
        XFER ?
        transfer|handover|handoff|escalation|XFER|XFERING to|: ~3 HUMAN
        someone|somebody|team ~4 who ~2 can|could|may|is
        want|like|prefer|wish ~2 HUMAN ?
        HUMAN ~3 available|standing|ready|queue|next|take
        in whose|their hands
        bring|get|fetch|call|find ~2 someone|somebody|help
        XFER ~2 with|to someone|somebody|another
        HUMAN ~2 instead ~2 ?
        HUMAN for|on ~2 this|that|it
        HUMAN is|are ~2 coming|joining|way
        HUMAN ?
    """,
    # No.
    "refuse": """
        unfortunately|regrettably|alas|regretfully|sadly
        {I} ~2 can|could|may|will|do|would|shall|did|are|am not ~1 !find|locate|see|wait|believe|tell|want|imagine|know|think|need|have|quite|sure|mind|miss ~
        {I} ~2 do|have not|no ~1 have ~2 authority|access|power|ability|way|option|permission|means|tools
        have|has|got no|zero|not ~2 authority|access|power|ability|way|option|permission|means|say
        can|could|may|must|shall|will not ~2 be !undone|reversed|found|located
        can|could|may not ~1 ACT|{DO}|offer|grant|make|give|provide|accommodate|honor|honour|accept|permit|allow|help|assist|happen|extend|override|bend|approve|add|mix|split|combine|use
        not ~2 able|possible|allowed|permitted|eligible|permissible|permit|allow|offer|authorized|authorised|supported|covered|entitled|refundable|doable|feasible|transferable|allowable|let|qualify|qualified|cover|negotiable|available|within|accepted|offered|paying|valid|applicable|support|accept|changeable|exchangeable|returnable|liberty|provide|cancelable|cancellable|modifiable
        not ~1 a|an|in|one|something|some|anything ~1 option|thing|position|we|i|choice|service|possibility|liberty
        not something|anything|what|how|on|part
        is|was|be|are no ~2 longer|way|possible|option|possibility|exceptions|exception|such|going|room|means
        no longer ~3 ACT|ACTED|possible|open|available|allowed|option|eligible|be|permitted|{DO}|{DOED}
        unable|inable|powerless|incapable to ~1 !find|locate|see
        unable $
        prohibited|prohibits|prohibit|forbidden|forbids|forbid|ineligible|nonrefundable|impossible|declined|denied|disallowed|rejected|barred|precluded|precludes|unavailable|disallows|restricts|restricted|nontransferable|refused|verboten|impermissible|nae|inadmissible|untenable|unfeasible
        non refundable|changeable|transferable|returnable|negotiable
        no exceptions|exception|way|refunds|refund|changes|change|can|dice|go|such|exchanges|returns|cancellations|deal|ACT|option|provision|luck|ACTING
        must|to|shall|i|we|and ~2 decline|refuse|deny|reject
        have|had|got to ~1 say no
        turn|turning ~3 down
        against ~2 policy|rules|regulations|rule|terms
        outside|beyond|exceeds|past|contrary|above ~3 scope|power|powers|authority|policy|control|hands|ability|reach|window|remit|mandate|rules|purview|deadline|limit|pay
        hands ~1 tied
        off the table
        out of ~2 question|hands|reach|luck|bounds|scope|power
        wish {I} ~1 could|had
        would|love to ~3 but
        afraid ~6 not|no|only|unable|impossible
        answer|it|is|be|'s|hard a? firm? no $
        allowed|eligible|possible|permitted|available|approved|refundable|permitted : no|not|none
        rules|policy|policies|terms|system|regulations|law|fare|ticket|rule|conditions ~3 do|does|will|can|is|are|not|would|wo ~1 not|allow|forbid|forbids|prohibit|prohibits|countenance|prevent|prevents|stop|stops|bar|bars|disallow
        only ~3 ACT|ACTED|be ~4 if|within|before|while|when|for
        too late
        locked|stuck|fixed ~4 once|after|now|in
        prevents|prevent|bars|stops|keeps|preventing {US} from
        sorry ~3 but|not|no|can
        as it stands
        does|do|will|would|is not ~2 qualify|meet|apply|extend|include|work|fly|fall|happen|permit|allow|cover|let|give
        not ~2 going to ~2 happen|work|be|fly
        never ~2 ACT|{DO}|allow|be|permit|change
        not happening|negotiable|today|allowed|possible|eligible
    """,
    # Negations that refuse nothing.
    "unrefuse": """
        can|could|will|would|do|does|did|have|has|had|am|was not ~2 find|locate|see|wait|undone|reversed|go wrong|believe|found|yet|worry|hesitate|match|recognize|miss
        unable to ~1 find|locate|see|match|identify
        not ~3 worry|hesitate|yet|only
        if|should|unless|whenever|in you|it|this|that|any ~4 not|unable|impossible
        not ~1 made|done|started|change|changed|booked|touched|{DOED}|ACTED|act ~4 yet|so|anything|until|without
        no longer ~2 needed|need|want|wanted
        no extra|additional|cost|charge|fee|fees|problem|worries|trouble|change ~
        never|not mind
        not ~3 want|wish|like|need|require|forget|close
        not ~3 be ~3 able ~3 after|once|again
    """,
    # A finished action.
    "done": """
        has|have|had|is|are|'s|was|were|am now|successfully|officially|already|been|also|hereby|just|all|been|thus|duly|both|freshly|indeed ~2 ACTED|{DOED}
        has|have|is|are|was|were ~1 been ~2 ACTED|{DOED}|effected|made|issued|placed|booked|completed|processed|finished
        {I} have|'s|just|already|now|also|successfully|went|did|hereby|has ~2 ACTED|{DOED}
        {I} ACTED|{DOED}
        {I} did|done it
        {I} have|'ve|did ~2 done|taken care|finished|taken|got|gotten|sent|given|swapped
        successfully ~2 ACTED|{DOED}|placed|ACT|completed
        successful|successfully|success
        ACTED|{DOED} successfully|already|now|as|, 
        ^ ACTED|{DOED} !by|with ~
        ^ done|sorted|completed|finished|complete|boom|ta|voila|success|accomplished|booked
        RECORD|it|that|this|everything|all|NUM|one|exchange|ACT|VAL 's|is|are|now|has|shows ~2 done|ACTED|sorted|complete|finished|official|settled|{DOED}|through|secured|effected|finalized|finalised|concluded|handled|dealt|finish
        all|everything|you|that|it|now is|are|'s? ~1 done|set|sorted|settled|handled|squared|wrapped|good
        is|are|be|'s all ~1 done|set|sorted|finished|fixed|wrapped
        all done|set|sorted|fixed|squared|good
        you are ~2 set|sorted|booked|good
        consider it ~1 done
        went|gone|is|are|going through
        has|have|is|are|was|been ~2 taken care
        taken care of
        mission|job|deed ~1 accomplished|done
        status|result|outcome : ~1 ACTED|{DOED}|success|complete|completed|done|confirmed|ok|submitted|finished|executed
        , ACTED|{DOED}|done|submitted|completed $
        is|are now ~2 on|in|set|for|registered|confirmed|secured|booked|live|the|headed|going|scheduled|under
        now shows|reflects|reads|has|stands
    """,
    # Not finished, though a finished form stands there.
    "undone": """
        will|would|can|could|may|must|to|shall|should|might|cannot be|get|have ~2 ACTED|{DOED}|done|sorted|set|completed|finalized|processed
        once|if|when|until|after|before|as|unless|upon|while|should|were ~8 ACTED|{DOED}|done|complete|set|sorted|finished|through|completed|settled|handled
        not|never|nothing ~3 ACTED|{DOED}|done|complete|completed|been
        was|were ~1 ACTED|{DOED}
        ACTED|{DOED} by|within|from|when|originally
        being ~2 ACTED|{DOED}
        want|wants|like|wish|need|have|see|wanted it|this|that|them|these|the ~4 ACTED|{DOED}|done
        you have|had|'ve ~2 ACTED|{DOED}
        be|get|gets ~1 ACTED|{DOED}
    """,
    # The agent says what it would do.
    "will": """
        {I} ~2 will|can|could|would|shall|may|might|should|must ~3 ACT|{DO}|be|go|proceed|send
        {I} ~2 am|are|was|were ~2 going|ready|about|prepared|happy|glad|able|here|set|planning|ACTING|{DOING} ~2
        {I} ACT|{DO}
        let {US} ~1 ACT|{DO}
        to ~2 ACT|{DO}
        ^ ACT|{DO}|ACTING|{DOING} ~
        would|will|can|shall|could|may|should be ~3 ACTED|{DOED}|ACTING|{DOING}|charged|refunded|credited|returned|put|placed|sent
        action|plan|proposal|proposed|summary|recap|change|quote|request|operation|step|task|next :
        eligible|qualifies|possible ~2 for|to
        plan|proposal|summary|recap|quote|proposing|propose|proposed|breakdown
        that|this|it ~1 would|will ~3 
        you ~2 will|would ~2 get|receive|pay|see|be
        be ACTED|{DOED}|ACTING|{DOING}
        ACTING|ACT ~6 to|for|from|on
    """,
    # "One moment."
    "hold": """
        one|a|two|few|another|just|wee ~2 moment|second|minute|minutes|seconds|moments|mo|jiffy|instant|beat|while
        moment|second please
        hold|hang|sit on|tight|the
        bear with
        let {US} ~3 {LOOK}
        {I} ~3 {LOOK} ~3 now|up|into|at|for|this|that|the|your
        {I} ~2 am|are ~2 {LOOKING}
        ^ {LOOKING}
        right|be back
        please|pls ~1 wait|hold
        stand|standing by
        give {US} ~3 moment|second|minute|minutes|seconds|mo
        on it
        brief moment|interval|pause
        {LOOKING} ~3 ,|now|for|your|the
        patience while
    """,
}
