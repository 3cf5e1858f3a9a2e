"""Which slots a sentence asks for: what it only mentions is not asked for."""

from __future__ import annotations

from tau_env.language.acts import read_agent
from tau_env.registry import find_domain

RETAIL = find_domain("retail").lexicon


def test_an_amount_that_is_needed_is_not_asked_for() -> None:
    refusal = "I cannot change the payment to your gift card: it holds $5.00, and $9.00 is needed."
    assert not read_agent(refusal, RETAIL).has("asks_detail")
    assert read_agent("Your e-mail address is needed.", RETAIL).has("asks_identity")


def test_what_an_offer_would_bring_is_no_report() -> None:
    offer = (
        "I would change the payment of order #W1000999: $186.68 is charged to your PayPal account."
    )
    assert read_agent(offer, RETAIL).kinds == {"proposes"}
    report = (
        "I have changed the payment of order #W1000999: $186.68 is charged to your PayPal account."
    )
    assert "reports_done" in read_agent(report, RETAIL).kinds
