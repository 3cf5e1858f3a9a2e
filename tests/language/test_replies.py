"""Which customer messages are a yes, a yes with a change, a no, a delay, or nothing of the kind."""

import pytest

from tau_env.language.replies import read_customer
from tau_env.schema import Lexicon, Slot

LEXICON = Lexicon(
    slots={
        "order_id": Slot(kind="id", role="record", pattern=r"#W\d+"),
        "flight": Slot(kind="id", pattern=r"[A-Z]{3}\d{3}"),
        "reason": Slot(kind="word", words={"no longer needed": ("not needed anymore",)}),
    },
    verbs={"cancel": ("cancel", "call off"), "return": ("return", "send back")},
)

YES = """
Yes
yes please
Yes, please proceed with that booking. Thank you!
Yep
yeah go ahead
Sure.
sure thing
OK
okay, do it
Alright, please go ahead
Absolutely!
Of course
That's correct.
Correct, please proceed.
That sounds good. Please proceed with the booking.
Looks good to me
that works for me
I confirm.
I agree
Please go ahead and cancel it.
Confirmed
no problem, go ahead
no changes, please proceed
No worries, do it
No objections.
No, that's fine, go ahead
no... well, yes
I guess so
I suppose that's fine
yes please don't wait
Yes, don't hesitate
I don't see why not, sure
Why not
By all means
You can go ahead with the cancellation
Could you please proceed with the change?
Oui, please proceed with canceling this reservation. Merci bien!
Yes, please proceed. Could you ensure that the refund is processed to the original payment method?
Yes, I confirm that I would like to proceed with the upgrade to economy. Thank you!
Yes, no longer needed is the reason.
Yes, everything looks correct. Please go ahead with the changes.
let's do it
Do it!
Go.
go
Ok, go
Please do.
Perfect, please go ahead.
Wait... okay, yes, go ahead
Yes. I have no other questions.
Yes, nothing else.
I don't need anything else, please go ahead.
y
YES!!!
Yes I\u2019m sure
That would be great.
Fine by me
I'd like to proceed
yes, thanks a lot
Please cancel it, yes.
Yes, that is right - I can't wait!
I do.
Consent given.
Permission is granted
You have my blessing
I give you my permission.
I authorise it.
let it happen
ok, call it off
ok, change it
👍
👍 yes
""".strip().splitlines()

YES_BUT = """
yes, but make it the blue one
Yes, but use my gift card
yes to #W1 but not #W2
Yes, cancel #W1 only
Sure, except #W2
Okay, but change the address to 12 Elm Street
Yes, as long as the refund goes to my card
Yes, but please ship it to Denver instead
Go ahead, just the first item though
Yes, but number 1732, please.
Yes, but the house number is 1732.
Yes, only it's 1732, not 1723.
Yes, but the number is wrong, it is 1732.
Yes, just put #W2 there, I wrote it wrong
""".strip().splitlines()

NO = """
No
no thanks
Nope
No, thank you.
don't cancel it
Please don't do that
Don't
I do not want to cancel the order
that's not right
That is wrong.
Absolutely not
Never mind
Forget it
I changed my mind
Yes... actually no
No, I'd rather keep it
I'd rather not
Leave it as it is
stop
No, that's incorrect
no, I don't agree
Not really
I don't want that
No. Cancel #W2 instead
Yes, but that is wrong.
No, ok. Thanks
No thanks, fine.
no, ok
Permission denied.
Hm, leave that one as it is. But I want to return #W2.
then leave it
Please leave this order untouched.
👎
""".strip().splitlines()

WITHDRAWN = """
wait
Hold on
let me think
Let me think about it
sure, but first tell me how long the refund takes
Before you do that, what is the total?
Okay, how much would that cost?
How much is it?
What if I keep one of them?
Are you sure?
Is that the right one?
Are you saying it's not possible to keep one of them?
I'm not sure
Not yet
Maybe
Hmm, one moment
Yes, but how much would it cost?
Actually, can you change the address as well?
Can you also return the lamp?
I have a question first
If I say yes, what happens?
What happens to my gift card if you go ahead?
Could you tell me the price first?
Actually I want to return it
Alright, I would like to change my flight to Denver
""".strip().splitlines()

NONE = """
Thanks!
Thank you so much for your help.
Great, thank you!
Great. Bye!
Yay, thanks, bye
My user id is mia_li_3668.
My order is #W1
It's mia@x.org
I want to cancel my order #W1 right now
Cancel my order #W1 immediately and refund me in full
Please cancel order #W1, it is no longer needed.
I need this done today.
That's all, thanks
I don't remember the reservation id.
Hello there
That's all for now.###STOP###
I'll get the number so we can proceed with the booking.
The zip is 19122
No longer needed.
I ordered them last week and they arrived broken
A new one, I think.
(a) the first street (b) Denver
I do have the number.
""".strip().splitlines()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        *((text, "yes") for text in YES),
        *((text, "yes_but") for text in YES_BUT),
        *((text, "no") for text in NO),
        *((text, "withdrawn") for text in WITHDRAWN),
        *((text, "none") for text in NONE),
        ("", "none"),
    ],
)
def test_read_customer_knows_the_answer(text: str, kind: str) -> None:
    assert read_customer(text, LEXICON).kind == kind


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("option 2 please", 2),
        ("the first one", 1),
        ("I'll go with the second option, since it's cheaper", 2),
        ("Let's go with Option 1. Please make that change for me.", 1),
        ("Number three", 3),
        ("2", 2),
        ("choice B", 2),
        ("B!", 2),
        ("A, and nothing else goes back.", 1),
        ("c) please", 3),
        ("the latter, please", 2),
        ("No, option 2 please", 2),
        ("I'd like to go with flight HAT052", 0),
        ("both", 0),
        ("the cheaper one, please", 0),
    ],
)
def test_read_customer_takes_a_choice_as_yes(text: str, option: int) -> None:
    reply = read_customer(text, LEXICON)
    assert (reply.kind, reply.option) == ("yes", option)


def test_read_customer_keeps_what_is_not_wanted_apart() -> None:
    reply = read_customer("Yes to #W1 but not #W2", LEXICON)
    assert [one.value for one in reply.literals] == ["#W1"]
    assert [one.value for one in reply.excluded] == ["#W2"]


def test_read_customer_names_the_values_of_a_choice() -> None:
    reply = read_customer("I'd like to go with flight HAT052", LEXICON)
    assert [one.value for one in reply.literals] == ["HAT052"]
