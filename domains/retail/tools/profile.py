"""The tool that changes a customer's profile."""

# ruff: noqa: D417 - agents read these docstrings, and the world is not among their arguments.
from __future__ import annotations

from typing import Any

from tau_env.domains.retail.tools._records import find_customer, show_customer
from tau_env.errors import Refused
from tau_env.world.database import World
from tau_env.world.tool import tool


def checked_address(
    address1: str, address2: str, city: str, state: str, country: str, zip_code: str
) -> tuple[str, str, str, str, str, str]:
    """The six parts of an address without blanks around them.

    Raises:
        Refused: a part other than `address2` is empty.
    """
    parts = (address1, address2, city, state, country, zip_code)
    names = ("address1", "address2", "city", "state", "country", "zip")
    for name, part in zip(names, parts, strict=True):
        if name != "address2" and not part.strip():
            raise Refused("", f"{name} is empty: an address needs everything but address2")
    one, two, town, province, land, code = (part.strip() for part in parts)
    return one, two, town, province, land, code


@tool(
    kind="write",
    needs_yes=True,
    verbs=("modify_profile",),
    identifies=("user_id",),
)
def modify_user_address(
    world: World,
    user_id: str,
    address1: str,
    address2: str,
    city: str,
    state: str,
    country: str,
    zip: str,
) -> dict[str, Any]:
    """Change the default address in a customer's profile; orders keep their own address.

    Needs the customer's explicit yes to the stated details.

    Args:
        user_id: The user id, such as 'mara_lopez_2051'.
        address1: House number and street, such as '12 Elm Street'.
        address2: Apartment or suite, such as 'Apt 4'; an empty text if there is none.
        city: The city, such as 'Chicago'.
        state: The state's two letters, such as 'IL'.
        country: The country, such as 'USA'.
        zip: The zip code, such as '60614'.
    """
    find_customer(world, user_id)
    address = checked_address(address1, address2, city, state, country, zip)
    world.write(
        "UPDATE customers SET address1 = ?, address2 = ?, city = ?, state = ?, country = ?,"
        " zip = ? WHERE user_id = ?",
        *address,
        user_id,
    )
    return show_customer(world, find_customer(world, user_id))
