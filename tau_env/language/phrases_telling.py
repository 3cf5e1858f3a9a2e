"""How service agents hand over, refuse, report, offer and hold: families of patterns.

In the notation of `patterns`, over words tagged as `tagging` does. Data only; what hits mean is
decided in `acts`.
"""

from __future__ import annotations

TELLING = {
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
        XFER|XFERING|route|send|sending|connect|walk|refer|routing|pass|passing you ~1 to|over|with|
            on ~2 one|someone|somebody
        XFER|XFERING|XFERED|patch|patching|connect|transfer you ~2 over|to|through|with|now|QM
        XFER|XFERING|XFERED you $
        DO|put|putting|patch|patching|pass|passing you ~1 through|over|along
        HUMAN ~2 will|shall|can|could|is|to|who|would !not ~4 take|join|help|assist|hop|step|
            contact|call|reach|continue|be|pick|resume|look|handle|get
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
        XFER|XFERING you !a|an|the|your|VAL|some|any
        in|into the hands of ~2 HUMAN
        somebody|someone ~3 take|takes|taking|took over
        ask|get|fetch|bring|call|have ~2 to ~1 come|join|step|hop|jump
        XFER|transfer ~2 to HUMAN
        HUMAN ~6 on the line|phone|case
        have|let|ask ~6 HUMAN ~3 sit|walk|guide|talk|go|reach|get|take|help
        holler|yell|shout|tap|wake|alert|involve|summon|page ~3 HUMAN
        handover|handoff|takeover
        queue|to|target|route|assignee|destination|escalate|owner : ~1 HUMAN
        someone|somebody ~5 will|can|could|going|to ~3 take|help|handle|pick|look|sort|contact|call|
            continue|reach|carry
    """,
    # No.
    "refuse": """
        can|may|will only ~1 go|return|issue to|back
        DET|WORD|ticket|tickets ~2 do|does|can|will|may not !need|have|include|matter|expire|count|
            look|find
        {DOED} only for|if|within|into|with
        is|are ~1 excluded|barred
        off limits
        not think ~4 able|allowed|possible|can|permitted
        {I} ~1 can|could not help you|with
        not ~1 provided|foreseen|envisaged for?
        preclude|precludes|disallow|disallows|rules any|out|all
        city|route|origin|destination|price|fare|date|RECORD|DET|count|number ~2 is|are ~1 fixed|
            final|locked
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
        {I} ~2 can|could|may|will|do|would|shall|are|am not !find|say|assume|guess|just|yet|match|
            recognize|make|presume|going|here|seem|appear|a|an|the|help|already|recall|sure|locate|
            see|wait|believe|tell|want|imagine|know|think|need|have|quite|mind|miss ~
        {I} ~2 do|have not|no ~1 have ~2 authority|access|power|ability|way|option|permission|means|
            tools
        have|has|got no|zero|not ~2 authority|access|power|ability|way|option|permission|means|say
        can|could|may|must|shall|will not ~2 be !undone|reversed|found|located
        can|could|may not ~1 ACT|{DO}|offer|grant|make|give|provide|accommodate|honor|honour|accept|
            permit|allow|help|assist|happen|extend|override|bend|approve|mix|split|combine|use|price
        not ~2 able|possible|allowed|permitted|eligible|permissible|permit|allow|authorized|
            authorised|supported|covered|entitled|refundable|doable|feasible|transferable|allowable|
            let|qualify|qualified|cover|negotiable|available|accepted|offered|paying|valid|
            applicable|changeable|exchangeable|returnable|cancelable|cancellable|modifiable
        not ~1 a|an|in|one|at|within ~1 option|position|choice|service|possibility|liberty|power
        not something|anything|what|how|on|part
        is|was|be|are|there no ~2 longer|way|possible|option|possibility|exceptions|exception|such|
            going|room|means
        no longer ~3 ACT|ACTED|possible|open|available|allowed|option|eligible|permitted|{DOED}
        unable|powerless|incapable to ~1 !find|locate|see
        prohibited|prohibits|prohibit|forbidden|forbids|forbid|ineligible|nonrefundable|impossible|
            declined|denied|disallowed|rejected|barred|precluded|precludes|unavailable|disallows|
            restricts|nontransferable|refused|verboten|impermissible|inadmissible|infeasible|
            unfeasible|unworkable|untenable
        non refundable|changeable|transferable|returnable|negotiable
        no exceptions|exception|way|refunds|refund|changes|can|dice|go|such|exchanges|returns|
            cancellations|ACT|provision|ACTING
        must|to|shall|i|we ~1 respectfully? decline|refuse|deny|reject
        have|had|got to ~1 say no
        turn|turning ~3 down
        against ~2 policy|rules|regulations|rule|terms
        outside|beyond|exceeds|contrary ~3 scope|power|powers|authority|policy|control|ability|
            reach|window|remit|mandate|rules|purview|deadline|gift
        hands are|'s? ~1 tied
        off the table
        out of ~2 question|hands|reach|luck|bounds|scope|power
        wish {I} ~1 could|had
        would|love to ~3 but
        afraid ~6 not|no|only|unable|impossible
        answer|it|is 's|is|be|hard ~2 no $
        allowed|eligible|possible|permitted|available|approved|refundable|outcome|result|
            decision : no|not|none|declined|denied
        rules|policy|policies|terms|system|regulations|law|fare|fares|ticket|tickets|rule|
            conditions|house|shop|store|airline|company|insurance|warranty ~3 do|does|will|can|
            may not
        rules|policy|policies|terms|system|regulations|law|fare|ticket|rule|conditions|house|shop|
            store|airline ~3 do|does|will|can|is|are|not ~1 not|allow|forbid|forbids|prohibit|
            prohibits|countenance|prevent|prevents|stop|stops|bar|bars|disallow
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
        not ~2 {ABLE}
        under no ~1 obligation|duty|circumstances
        no ~3 will|shall|can|may|could be ~1 {DOED}|paid|given|issued|made|due|granted
        no ~2 is|are due|owed|payable|owing|possible|available|provided|allowed|foreseen
        {DOED} only where|when|if|in|within|for|upon|after
        not ~1 in|within|among my|our|the
        ^ negative !balance
        : no ,
        {I}|to ~3 say|saying no
        they|he|she|it|policy|system|rules|manager|boss|HUMAN said|say|says|told no
        no|not ~1 obligation|liability|entitlement|claim|right to|for|in|on|under
        not ~2 in|within|at ~2 gift|discretion|disposal
        falls|fall|lies|lie|goes|go|is ~1 outside|beyond
        must|ought|should not ~1 ACT|{DO}
        out of luck
        no such ~2 DET|discount|option|service|thing
    """,
    # Negations that refuse nothing.
    "unrefuse": """
        no more
        not ~6 until|unless you ~3 tell|send|give|let|have|enter|say
        do|does|did not ~1 match
        not ~6 without ~2 your|you|knowing|IDENT|RECID|{CONSENT}
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
        can|could|will|would|do|does|did|have|has|had|am|was|were not ~2 find|locate|see|wait|
            undone|reversed|believe|found|yet|worry|hesitate|recognize|miss
        unable to ~1 find|locate|see|match|identify
        not ~3 worry|hesitate
        not ~1 yet
        not ~1 be ~2 easier|happier|simpler|better|nicer|gladder|prouder|quicker|smoother
        never again|fear|worry
        is|are|all ~1 fixed now|up|,|$
        or no
        not ~3 bad|objectionable|unreasonable|least|far|long|unlike|uncommon
        if|should|unless|whenever|in you|it|this|that|any ~4 not|unable|impossible
        not ~1 made|done|started|change|changed|booked|touched|{DOED}|act ~4 yet|so|anything|until|
            without
        no longer ~2 needed|need|want|wanted
        no extra|additional|cost|charge|fee|fees|problem|worries|trouble|change ~
        not mind
        not ~3 want|wish|like|need|require|forget|close
        not ~3 be ~3 able ~3 after|once|again
        {DOED} declined|denied
    """,
    # A finished action.
    "done": """
        your ~3 is|are ~1 {FINISHED} !within|by|if|when|once|only|to|usually|automatically|for|from|
            with|on|at|as|not
        RECORD|VAL|ACT is|are|'s ~1 gone|history|toast|concluded
        , {FINISHED} ,
        is|are now ~1 in|on WORD
        DET|address ~6 is now NUM|VAL
        it|that ~1 worked
        says|shows|reads ~1 {FINISHED}
        that|it|all is|'s done
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
        RECORD|ACT|it|that|seat|seats|bag|exchange|DET|everything ~3 is|are ~1 confirmed|registered|
            secured|locked|actioned $
        seats|seat|DET|RECORD is|are confirmed on|for|in
        your ACT|refund ~5 is in $
        ^ ACT|RECORD|refund|change|changes|update ~1 {FINISHED}|done|complete|sent|successful|
            executed
        {I} ~2 gone|went ahead and? ~1 {FINISHED}
        ACT|RECORD|refund|it|that|exchange ~3 is|are|was|were ~1 registered|submitted|processed|
            cancelled|canceled|locked|recorded|booked !within|by|if|when|once|only|to|usually|
            automatically
        refund|money|dollars|label|VAL ~3 is|are|'s ~1 on its|their|the way
        is|are|'s ~1 locked in
        in the books|bag
        is|are|'s ~1 in the system
        that is|'s a wrap
        {I} ~1 have|just|went ~2 {FINISHED}
        has|have been ~2 {DOED}|effected|made|issued|placed|booked|completed|processed|finished
        is|are|'s|was|were|am|has now|successfully|officially|hereby|also|duly|all|
            both ~1 {FINISHED}
        RECORD|VAL|it|one|that|NUM|first|exchange|ACT|reservation|order 's|is ~1 {FINISHED}|done $
        {I} have|'s|just|already|now|also|successfully|went|hereby ~2 {FINISHED}|done|taken|sent|
            swapped|sorted
        {I} have|just|already|now|also ~1 set|put|made|sent|rung|pushed ~3 up|in|through|off
        {I} {FINISHED}
        {I} did|done it|that|this
        successfully ~2 {FINISHED}
        ^ successful|success
        {FINISHED} successfully|already
        ^ ACTED|refunded|booked|processed|submitted|updated|confirmed|upgraded|added !by|with|in|on|
            from|within|: ~
        ^ ACTED|refunded|booked|processed|submitted|updated|confirmed|upgraded|added $
        ^ done|sorted|completed|finished|complete|accomplished !by|so
        RECORD|it|that|this|everything|all|NUM|one|exchange|ACT|VAL 's|is|are|now|has|shows ~2 done|
            sorted|complete|finished|official|settled|through|secured|effected|finalized|finalised|
            concluded|handled|finish|{FINISHED}
        is|are now ~1 {FINISHED}|set|registered|live|scheduled
        is|are now ~1 on|under|in ~1 RECORD|VAL|KNOWN
        all|everything|you|that|it|now is|are ~2 done|set|sorted|settled|handled|squared|wrapped|
            booked
        all done|set|sorted|fixed|squared !with|to
        consider it|that|this ~1 done|{FINISHED}
        RECORD|it|that|ACT|everything|payment|change|refund|VAL ~2 went|gone through
        taken care of
        mission|job|deed ~1 accomplished|done
        status|result|outcome|action|NUM : ~2 {FINISHED}|success|complete|completed|done|confirmed|
            ok|submitted|finished|executed|successful
        , {FINISHED}|done|submitted|completed $
        now shows|reflects|reads|stands
        has|have|is ~1 taken effect
        {I} ~1 !checked|looked|reviewed|located|verified|tried|pulled|opened|noticed|received|
            wanted|needed|asked|searched|examined|noted|missed|called|seemed|hoped|loved|offered|loaded|
            managed|VAL *ed ~2 VAL|RECORD|KNOWN !ACT|ACTED|{FINISHED}|cannot|can|could|is|was|are
        refund|money|VAL|dollars|bucks ~3 is|are ~1 headed|heading|moving|underway|rolling|
            travelling|traveling|inbound|walking
        {I} ~1 took|dropped|pulled ~4 off|out|from
        {I} took care|charge of
        got you ~1 on|in|into|down
        you are ~1 now ~1 on|in|with
        you are ~1 on|in VAL|WORD now
        {I} ~1 just|have finished|completed ~1 *ing|ACTING
        was|were ~1 {FINISHED}|effected today|just|now|successfully
        consider yourself|yourselves ~1 {DOED}
        ACT|ACTING has|have ~1 been ~1 !received|noted|denied|declined|rejected|refused|shipped|
            delivered *ed
        RECORD|VAL|KNOWN|it|DET now goes|ships|flies|leaves|carries|includes
        DET is|are ~1 on|in ~1 RECORD|VAL|KNOWN now
        RECORD|VAL|KNOWN|it ~1 is no more
        no longer exists
        ^ {I} hereby? confirm|confirming the|your ~1 ACT|ACTING
        got ~2 done|sorted|fixed|squared|handled|{FINISHED}
        good|same as ACTED|{FINISHED}
        takes|taking|took effect now|immediately|at|as
        's|is|has|have ~1 gone through !the|your|all|everything|my|our|this|that
        ^ VAL|DET|RECID|KNOWN|RECORD|WORD|NUM ~1 {FINISHED} ,|/|$
        ^ {FINISHED} ,
        is|are in force|effect|hand ~1 now|already
        moved|switched|set from|to|over ~8 successfully
    """,
    # Not finished, though a finished form stands there.
    "undone": """
        you {DOED}
        you just|originally|recently|first|already|also|then ~1 {DOED}
        that|which|who got|gets ~1 {DOED}
        is|are|was|were already ~1 {FINISHED}
        been ~1 used|flown|shipped|delivered|dispatched
        account|profile ~4 all set up
        you are ~1 charged|refunded|asked|moved|billed
        may|might|could ~1 have ~1 {DOED}
        can|could|may|might|must|should|will|would be ~3 {DOED} ~1 or|and|, ~1 {DOED}
        can|could|may|might|must|should|will|would be ~6 {DOED} only
        , not {DOED}
        will|would|can|could|may|must|shall|should|might be|get|have ~3 {DOED}|done|sorted|set|
            completed|finalized|processed|made
        to be|get|have !been ~3 {DOED}|done|sorted|set|completed|finalized|processed|made
        step|phase|stage|part|identification|verification|identity|lookup|check|IDENT|account ~1 :|
            is ~1 {FINISHED}|done|complete|ok
        once|if|when|until|after|before|unless|while|should ~8 {DOED}|done|complete|set|sorted|
            finished|through|completed|settled|handled|ready
        not|never|nothing|no ~3 {DOED}|done|complete|completed|been
        handled|done|sorted|settled by
        {DOED} by|within|from|when|originally|at
        being ~2 {DOED}
        want|wants|like|wish|need|have|see|wanted it|this|that|them|these|the ~4 {DOED}|done
        you have|had !been ~2 {DOED}
        be|get|gets ~1 {DOED}
        which|who is|was|are|were ~2 {DOED}
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
        would|will|can|shall|could|may|should be ~3 {DOED}|{DOING}|charged|refunded|credited|
            returned|put|placed|sent
        action|plan|proposal|proposed|summary|recap|change|quote|operation|step|task|next :
        {I} ~3 to {DO}
    """,
    # It would do something, whatever the verb: counts where a value stands beside it.
    "offer": """
        {I} ~1 will|can|could|would|shall|might !not|need|like|love|want|know|be|have|appreciate|
            only|also|hate|suggest|recommend|help|assist|see|look|check|find|tell|say|ask|require|
            get|offer|understand|confirm|verify|think|hope|review|pull|search|just|take ~
        {I} ~1 will|can|could|would|shall|might ~1 take ~4 off|out|from|away
    """,
    # "One moment."
    "hold": """
        one|a|two|few|another|just|wee|NUM ~2 moment|second|minute|minutes|seconds|moments|mo|jiffy|
            instant|beat|while
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
"""Families of patterns by name; those in ``un`` cancel the hits that they overlap."""
