"""How service agents ask, seek agreement and take leave: families of patterns.

In the notation of `patterns`, over words tagged as `tagging` does. Data only; what hits mean is
decided in `acts`.
"""

from __future__ import annotations

ASKING = {
    # The form of a question to the customer, whatever mark ends it.
    "question": """
        ^ may|can|could|might i|we !will|can|also|help
        ^ would|could|can|will|do|did|are|have|were you
        ^ is|are|was|were|does|do|did|has there|it|that|this|these|your|the
        ^^ what|which|where|when|who|whose|how !ever|as|it|they|you|i|we|this|that|a
        ^ what|where|when|who|how is|are|do|does|did|would|should|can|could|will|was|many|much|about
        ^ which|what DET|RECORD|IDENT|RECID|one|ones|of|option
        ^ for|in|on|about|to|under|from|with|by|of|at|upon what|which|whom
        ^ why|DET do|did|would|are|will you
        ^ mind if|giving|sharing|telling|sending|i|me
        ^ any chance|preference
        {I} wonder|wondering
    """,
    # A question word.
    "wh": """
        what !if
        which|where|when|who|whose|how|whether|why
    """,
    # The customer is asked to say something, without the form of a question.
    "request": """
        rather|prefer you ~1 told|gave|said|sent|picked|chose|tell|give
        not ~3 clear|sure|certain|know|tell|obvious|say ~3 which|what|whether
        unclear|unsure ~2 which|what|whether
        hate|afraid|want|wish to ~1 pick|choose|guess|assume
        just tell {US}
        ^ {GIVE} !back ~1 your|the|a|an|which|what|whether|how|when|where|who|why|IDENT|RECID|DET|
            one|either|it|me|us|between
        please ~2 {GIVE}
        let {US} know
        let {US} ~1 have|get|hear
        {I} ~3 need|require|want|seek|lack|needing|requiring|missing|wanting !to|you|any|not|is|are|
            by|be|help|anything|assistance|further|more
        ^ need|require|needing|requiring|want|wanting !to|you|any|not|help|anything|assistance|
            further|more
        require|requires ~2 IDENT|RECID|DET
        requested|asked|invited|encouraged|urged to ~2 {GIVE}|elect
        need|needs|want|wish|like|love|have|required|obliged|remains|must|ask|needing ~4 to ~1 know|
            hear|ask|learn|understand|request|obtain|confirm|verify|collect|note|enter|record|
            identify|have|get|establish|see
        must|should ~1 know|have|ask|request|obtain|trouble|first|enquire|inquire
        could|can|would|will|might|may|must|should you ~5 {GIVE}
        you ~2 {GIVE} ~1 {US}|your
        you ~2 to {GIVE}
        if you ~5 {GIVE}
        that you ~2 {GIVE} {US}|your|the
        help|helps|helpful|useful ~3 to ~1 know|have|understand|learn
        wait|waiting|await|awaiting|looking|all|only|just|missing|ask|asking|bother|trouble|
            pray ~2 for your|the|an|a
        may|can|could|might {I} ~3 have|ask|get|request|grab|trouble|know|inquire|enquire|venture|
            beg|bother
        tell|remind|inform|enlighten|advise|apprise|give|send|show|drop|shoot|hit|hand|pass|text|
            lend|spare|toss|throw|slide {US}
        what {I} ~3 need|require|want ~2 from|:|is
        only|one|last|remaining|open|final ~1 question|point|piece|detail|matter|unknown ~3 is|are|
            left|remains
        {I} ~1 wonder|wondering|curious ~2 {WH}|about|if
        make ~1 your ~2 DET|choice|wishes|preference ~1 known
        pick|choose|select one|whichever|between|from|either|what
        up to you
        all|only|just ~1 {I} ~1 need|lack|miss|require
        be|is|are guided ~2 by
        obliged|grateful|appreciate ~2 if|were
        {US}|i ~1 ask|asking ~3 {WH}
        you|and ~4 need|needs|have|required|asked|requested|must to? {GIVE}|designate|establish
        by stating|giving|providing|telling|naming|supplying|entering|sending ~2 IDENT|RECID|DET|
            your|the
        may|can|could i|we|one ~1 be told|given|furnished
        ^ say again|once ~1 which|what|your|the
        that ~5 be ~1 communicated|provided|indicated|stated|furnished|supplied|notified|disclosed|
            submitted|named|specified
        ^ point {US} ~1 at|to|out one|which|the
        ^ repeat|restate ~2 which|what|your|the
        system|form|we|i ~2 asks|asking|asked ~2 for|me|the
    """,
    # What is lacking, named before or after the word.
    "needed": """
        without ~2 IDENT|RECID
        not ~2 have|see|seem|seen|got ~3 IDENT|RECID
        not ~1 been? indicated|given|provided|specified|supplied|stated|mentioned
        must|should|to|shall be ~1 stated|given|provided|indicated|specified|supplied|furnished|
            named|chosen|selected|entered
        must|should|shall be ~1 said|told|clarified|mentioned|noted|decided|settled|known
        until|unless|once you ~3 furnished|furnish|provided|provide|given|give|supplied|supply|
            shared|share
        required|needed|requested|missing fields|info|information|field
        needed|missing|required|pending|outstanding|necessary|requested|mandatory|lacking|
            requires !by|to|because|for
        your choice|pick|preference|selection|call
        input|info|information|details ~1 needed|required|missing
        {I} ~3 need ~5 :
        IDENT|RECID|DET ~8 please $
        your ~1 IDENT|RECID|DET ~6 please ,|for|so|and
        input|entry|answer|response ~1 expected|awaited|needed|wanted
        suffice|suffices
        appreciated $
    """,
    # Words of need that ask for nothing.
    "unneeded": """
        if|should|whether|when|where|unless|no|not|nothing|without ~6 needed|required|missing|
            requested|pending|outstanding|necessary|lacking
    """,
    # A choice is left to the customer.
    "choice": """
        do|would|will|did|are you ~8 or
        which|whichever|prefer|preferred|preference|rather|choose|pick|select|choice|choices|
            favourite|favorite|choosing|option|options|either|selection
        whether ~20 or
    """,
    # The customer is asked to agree.
    "confirm": """
        please ~1 nod|affirm|assent|agree|consent|approve
        may|shall|can|could|should {I} have ~3 {DOED}
        say|reply|respond|type|answer|write|text ~2 ok|go|sure|agreed|approve
        {CONSENT} ~2 awaited|needed|required|requested|sought|welcome
        if you ~2 mind|object
        affirmative
        like|want|need|love|take|hear|wait|waiting|after ~4 yes
        tell|let|shout|stop|say|holler|unless ~4 if ~6 wrong|off|amiss|incorrect|mistaken|
            misunderstood|misread|differently
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
        ^ shall|should|may|can|could|might|do|must|would {I} ~3 {DO}|proceed|continue|carry|
            finalize|begin|start|act|go !anything|something|have|for
        have|do {I} ~1 have? your
        ^ shall|should {I} ~3 QM
        {I} ~1 can|may|shall|could|should|go ~1 do|proceed|{DO}|continue !for ~6 QM
        would|do|did|are|will|should|can|could|if|that|whether you ~4 like|want|wish|prefer|ok|
            happy|fine|comfortable|ready|good|care|content|willing|agreeable ~3 to|with|for ~4 {DO}|
            proceed|continue|go|ahead|{DOING}|this|these|that|it
        like|want|wish|prefer|care {US} to {DO}|proceed|continue|go|do|make|carry|send|book|take|
            give|hand|sort
        you ~2 like|want|wish ~1 to ~1 proceed|continue|go
        proceed|continue|proceeding ~4 QM
        go|going ahead ~6 QM
        ^ ready|go QM
        ready to ~1 proceed|go|{DO}|confirm|continue ~3 QM
        ^ confirm|approve|approved|agree|agreed|ok|accept|proceed|continue|authorize|correct|
            affirm ~3 QM
        confirm|confirmation $
        ^ confirm|approve|authorize|accept|agree|proceed|affirm|confirmation :|/|,
        please|you|to|kindly|could|must|just|need ~2 confirm|affirm|acknowledge|validate that|if|
            whether|this|these|to|you|everything|all|with|by|so|it|and|for|below|before|correct|or|
            /|:|,
        confirm ~1 the ~2 following|above|change|changes|details|ACT|ACTING|correctness|accuracy
        ^ confirm that|if|whether|this|these|to|everything|all|with|by|so|it
        confirmation|approval|authorization|consent required|needed|pending|requested|please|:
        is|does|do|are|if|whether|all|everything|this|it|that|whole|same ~6 {SOUND} ~3 {NICE}
        is|are|was|does ~5 {NICE} ~5 QM
        {SOUND} ~2 {NICE}|plan|deal|way ~6 QM
        {SOUND} ~1 for|to you
        ok|correct|agreed|agree|deal|right|alright|yes|accept|fine ~1 QM
        good QM
        would|will ~2 settle|do|work|suffice|fix ~2 QM
        what|how|and|suppose if {I} ~6 QM
        ^ ok|good|cool|fine ~2 with ~2 you|that|this|it
        yes|y / no|n
        yes or no
        yes to both|all|this|that|these|them|it|everything|each|the ~3 QM
        or no|not ~1 QM
        or no $
        say|reply|respond|type|answer|write|tell|give|send|text|speak|with|by|saying|simple|enter|
            hear ~3 yes|confirm|confirmed|y
        say|give|speak|await|awaits|awaiting|your|need|at|upon|on the|your|a ~1 word
        say|saying so $
        say|saying so ~2 and|,|i
        say|give|need|await|get|have|with|your|want|love ~4 go ahead|signal|light
        green light
        thumbs up
        with|your|have|await|awaiting|awaits|need|upon|pending|give|grant|without|subject|obtain|
            require|express|explicit|favoured|request|requests|crave ~3 {CONSENT}
        if|provided|should|were|unless|assuming ~6 {SUITS}
        if|provided|assuming ~4 is|are|'s ~3 {NICE}
        if|once|when|after|provided|until|unless you ~1 are? ~2 happy|comfortable|good|fine|ok|
            content|ready|agreed with|to|for|,
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
        ^ am|are {I} to ~2 proceed|go|{DO}|continue|act|understand
        ^ shall|should {I} !use|expect|look|check|find|connect|get|call|ask|fetch|bring|have|know|
            XFER|transfer|send ~9 QM
        your ~2 authority|instruction|instructions|say|mandate|command
        say|reply|type|shout|give|nod|write|holler|text|click ~6 and {I} ~1 will|shall|can|could
        tell|let ~2 if|whether {I} ~1 can|may|should|shall|could ~2 {DO}|proceed|go|continue
        fits|suits|works|pleases|goes that|this|it ~3 QM
        ^ are we ~1 *ing ~3 QM
        how|what ~5 about|if me|us|my|i|we ~1 {DOING}|{DO}
        would|will|does|do ~2 suit|please|satisfy|serve ~2 QM
        permission|authorisation|authorization|clearance|leave to ~1 proceed|{DO}|execute|continue
        standing|stand by for|on your
    """,
    # Whether the record meant is this one.
    "identifies": """
        the ~2 one or the ~3 one
        if|whether|is|are this|that|it|either|these|those ~4 is|are the|your RECORD|RECID
        if|whether ~5 is|are the|your ~3 you ~2 want|wish|mean|meant|like|refer|referring
        is|are this|that|it|these|those ~1 the|your RECORD|RECID
        is|are this|that|it|these|those ~1 the one|ones you ~2 mean|meant|want|wish|refer|referring
    """,
    # Words of agreement that ask for none.
    "unconfirm": """
        why|DET do|did|would|will|are you ~2
        any|another ~5 you ~2 want|wish|like to
        understand|see|gather|hear that? you ~2 want|wish|like to
        ^ {I} ~1 confirm|confirming the|your|that
        more|other|else|further ~2 : ~2 y|yes /
        anything|something|what|else|more|further ~1 {I} ~1 can|could|may|might|should
        if you ~6 proceed|continue ~10 please provide|give|share|specify|send|choose|select|tell|
            state|enter
        proceed|like|want ~3 any|anything|something other|else|more|changes
        like|want to make any
        like|want|wish|care|love {US}? to ~1 ACT|{DO}|include|send back? any|anything|something|
            another|other|further|more|some
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
        any|some other way
        got|have any more|other|further
        ^ any more ~2 QM
        more {QUESTION}
        how {I} can|may ~1 {HELP}
        any other ACT|ACTING|changes|modifications
        that|this|it everything|all QM|or
        whenever|anytime you ~1 need|want|like|wish|require
        other thing|things QM
        further|next orders|instructions|instruction|wishes|command|commands
        ^ wish|want|need other|another|more|anything
        anything|something|aught|anythin|nothing ~1 else|more|further|besides|other|additional
        any|some|other|further|additional|another|new|all|different|next ~2 {QUESTION}
        any|other|further|additional|another|else|more ~1 {HELP}|issue|issues|needs|inquiry|
            inquiries|enquiries|respect|regard|questions
        what|who|how|where else
        how ~1 can|may|could|might {I} ~2 {HELP}
        what can|may {I} ~2 do|help|get
        ^ is|was|will|would|be that|this|it|you ~3 all|everything ~4 QM
        that|be|is|it all|everything ~3 QM
        that|be|is|it all|everything ~1 for|today|now|then
        that|be all $
        feel free to? ~2 ask|reach|let|contact|write|message|say
        here|around|available if|whenever|should|any|ever ~3 you|need|ever|else|questions|anything|
            help
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
        need|want anything|something ~4 QM
        further|more|otherwise|else ~3 be ~1 of ~2 {HELP}
        you ~2 have|got another|other|more ~4 QM
        what|anything more|next ~4 QM
        some|any other doubt|doubts|wish|wishes|thing|things|need|trouble|bother|query
        another|other ~4 {I} ~1 can|could|may|might ~1 look|help|do|assist|attend|sort|solve|fix
    """,
    # "Else" that offers nothing.
    "unmore": """
        and|or|but nothing|anything else|more $
        before|above|than|without|whatever anything|everything|all else|more
        unless|if ~4 else changes|happens
    """,
    # Leave-taking.
    "closing": """
        have|enjoy|wish|wishing|bid ~4 day|evening|night|weekend|week|afternoon|morning|one|journey|
            trip|flight|rest
        take care
        goodbye|bye|farewell|byebye|cheerio|godspeed|adios|ciao|ttyl|cya|adieu|toodles
        good day|night|bye $
        see you ~3 $
        thank|thanks|gratitude|grateful ~2 for ~2 shopping|flying|chatting|patronage|business|
            custom|traveling|travelling|loyalty|visiting
        been|was|truly|always|such ~2 pleasure|joy|delight|honour|honor|privilege|treat
        pleasure|joy|honour|honor ~3 helping|assisting|serving|chatting
        glad|happy|delighted|pleased to have ~ helped|assisted|been
        glad|happy|delighted|pleased {I} could|can
        ^ you are ~2 welcome
        until ~1 next|then|we
        safe|happy|pleasant|smooth travels|travel|flight|trip|journey|journeys|shopping|flying|
            trails|DET|RECORD
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
        mind how you go
        you ~1 come back
        come back ~1 soon|now|anytime|and|again
        ^^ out $
        all the best
        ^ good luck
        over and out
    """,
}
"""Families of patterns by name."""
