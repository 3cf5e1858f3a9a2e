"""The customer agrees, refuses and corrects on no guess: kinds of messages that were misread."""

from __future__ import annotations

import pytest
from users.stage import lexicon
from users.test_hearing import ADDRESS, CANCEL, CHANGE, EMAIL, FACTS, RETURN

from tau_env.language.replies import read_customer
from tau_env.schema import Scenario, Want
from tau_env.users.scripted import ScriptedUser

AGREES = ("yes", "yes_but")
PAYMENT = Want(do="modify_payment", slots={"order_id": "#W1000006", "payment_method": "paypal"})
PROFILE = Want(
    do="modify_profile",
    slots={"address1": "1472 Cherry Lane", "city": "Seattle", "state": "WA", "zip": "98116"},
)
PLACE = "1472 Cherry Lane, Apt 124, Seattle, WA 98116, USA"


def answer(want: Want, text: str) -> tuple[str, str]:
    """What the customer answers to a first message, and how that reads."""
    user = ScriptedUser()
    opening = "modify_profile" if want is PROFILE else "cancel_order"
    scenario = Scenario(customer="mia_1", opening=opening, wants=(want,), facts=FACTS)
    user.reset(scenario, lexicon(), 0)
    said = user.reply(text)
    assert not said.ends
    return said.text, read_customer(said.text, lexicon()).kind


@pytest.mark.parametrize(
    ("want", "text"),
    [
        (ADDRESS, f"New shipping address for #W1000004:\n{PLACE}\nShall I change it?"),
        (ADDRESS, f"The address of order #W1000004 is replaced by {PLACE}. Do you consent?"),
        (
            ADDRESS,
            (
                f"The change would be:\n- **Order:** #W1000004\n- **New address:** {PLACE}\n"
                "- **Profile:** stays as it is\n\nOK?"
            ),
        ),
        (
            PROFILE,
            (
                "Default address in your profile: 1472 Cherry Lane, Seattle, WA 98116. No "
                "order changes "
                "with it. Shall I?"
            ),
        ),
        (
            PAYMENT,
            (
                "$25.00 of #W1000006 would be charged to your PayPal, and $25.00 would "
                "return at once "
                "to your gift card. Shall I let it happen?"
            ),
        ),
        (
            PAYMENT,
            (
                "For order #W1000006 I would:\n- charge $25.00 to your PayPal\n- give "
                "$25.00 back to "
                "your gift card\n\nOK?"
            ),
        ),
        (
            CHANGE,
            (
                "Order #W1000003: the Xylophone becomes the large one, and $3.00 is "
                "refunded to your "
                "PayPal. Shall I carry this out?"
            ),
        ),
    ],
)
def test_customer_agrees_where_the_verb_leaves_open_what_is_changed(want: Want, text: str) -> None:
    said, kind = answer(want, text)
    assert kind in AGREES, said


@pytest.mark.parametrize(
    ("want", "text"),
    [
        (
            RETURN,
            (
                "For the Night Lamp ($40.00) and the Hand Drum ($20.00) you would receive "
                "$60.00. May I "
                "ask whether you would prefer it on your Mastercard ending in 8247 or "
                "on your PayPal? "
                "And would you perhaps like to send back anything further from this order?"
            ),
        ),
        (
            RETURN,
            (
                "Order #W1000005 was delivered, and the Night Lamp and the Hand Drum can be "
                "returned. It "
                "should be said whether other items are to be included."
            ),
        ),
        (RETURN, "It comes to $60.00, Mia. Where would you like the money?"),
        (
            RETURN,
            (
                "PayPal won't do: #W1000005 was paid with a credit card, so it can only go "
                "there. Shall "
                "I return the Night Lamp and the Hand Drum and send $60.00 to the Mastercard?"
            ),
        ),
        (
            CHANGE,
            (
                "I see with regret that your PayPal account holds only $2.00. I would change the "
                "Xylophone in #W1000003 to the large one and charge $3.00 to your gift "
                "card instead."
            ),
        ),
        (CANCEL, "Mia! What is wrong with #W1000001?!"),
    ],
)
def test_customer_agrees_to_no_question_and_to_no_other_method(want: Want, text: str) -> None:
    said, kind = answer(want, text)
    assert kind not in AGREES, said


def test_customer_names_the_right_number_and_refuses_nothing() -> None:
    other = PLACE.replace("1472", "1427")
    said, _ = answer(
        ADDRESS,
        f"Here's the change:\n\n- **Order:** #W1000004\n- **New address:** "
        f"{other}\n\nShall I go on?",
    )
    assert "1472 Cherry Lane" in said


def test_customer_takes_no_refusal_for_a_proposal() -> None:
    said, kind = answer(
        PAYMENT,
        "#W1000006 is 'processed' already. I can only move a payment while an order is 'pending', "
        "so that one has to stay on the gift card. Anything else?",
    )
    assert kind not in AGREES
    assert "should be" not in said


def test_an_e_mail_in_a_question_for_a_yes_is_still_checked() -> None:
    said, _ = answer(CANCEL, f"Your e-mail is {EMAIL.replace('1', '2')}, is that right?")
    assert EMAIL in said
