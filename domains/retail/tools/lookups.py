"""Tools that look up customers, orders and products; they change nothing."""

# ruff: noqa: D417 - agents read these docstrings, and the world is not among their arguments.
from __future__ import annotations

import json
from typing import Any

from tau_env.domains.retail.tools._records import (
    find_customer,
    show_customer,
    show_order,
)
from tau_env.errors import Refused
from tau_env.world.coerce import dollars
from tau_env.world.database import World
from tau_env.world.tool import tool

_VARIANTS = """
SELECT v.item_id, v.price_cents, v.available,
  (SELECT json_group_object(o.name, o.value) FROM variant_options o
   WHERE o.item_id = v.item_id) AS options
FROM variants v WHERE v.product_id = ? ORDER BY v.item_id
"""


@tool(kind="read")
def find_user_id_by_email(world: World, email: str) -> str:
    """Find the user id of the customer with this e-mail address.

    Args:
        email: The e-mail address that the customer gave, such as 'name@example.com'.
    """
    customer = world.row("SELECT user_id FROM customers WHERE email = ?", email.strip().lower())
    if customer is None:
        raise Refused("", "user not found: no customer has this e-mail address")
    world.about(customer["user_id"])
    return str(customer["user_id"])


@tool(kind="read")
def find_user_id_by_name_zip(world: World, first_name: str, last_name: str, zip: str) -> str:
    """Find the user id of the customer with this first name, last name and zip code.

    Args:
        first_name: The customer's first name, such as 'Mara'.
        last_name: The customer's last name, such as 'Lopez'.
        zip: The zip code of the customer's address, such as '60614'.
    """
    wanted = (first_name.strip().casefold(), last_name.strip().casefold())
    found = [
        row["user_id"]
        for row in world.rows(
            "SELECT user_id, first_name, last_name FROM customers WHERE zip = ?", zip.strip()
        )
        if (row["first_name"].casefold(), row["last_name"].casefold()) == wanted
    ]
    if not found:
        raise Refused("", "user not found: no customer has this name and zip code")
    if len(found) > 1:
        raise Refused("", "several customers have this name and zip code: use the e-mail address")
    world.about(found[0])
    return str(found[0])


@tool(kind="read")
def get_user_details(world: World, user_id: str) -> dict[str, Any]:
    """Get a customer's profile: name, address, e-mail, payment methods and order ids.

    Args:
        user_id: The user id, such as 'mara_lopez_2051'.
    """
    return show_customer(world, find_customer(world, user_id))


@tool(kind="read")
def get_order_details(world: World, order_id: str) -> dict[str, Any]:
    """Get an order: status, items with the price paid, address, shipments and payments.

    Args:
        order_id: The order id with its '#', such as '#W1234567'.
    """
    return show_order(world, order_id)


@tool(kind="read", public=True)
def get_product_details(world: World, product_id: str) -> dict[str, Any]:
    """Get a product's variants: item id, options, price of today and availability of each.

    Args:
        product_id: The product id, such as '1234567890'. It is not an item id.
    """
    product = world.row("SELECT name FROM products WHERE product_id = ?", product_id)
    if product is None:
        raise Refused(
            "",
            f"product {product_id[:40]!r} not found; list_all_product_types gives all product ids, "
            "and an item id is no product id",
        )
    return {
        "name": product["name"],
        "product_id": product_id,
        "variants": {
            row["item_id"]: {
                "item_id": row["item_id"],
                "options": json.loads(row["options"]),
                "available": bool(row["available"]),
                "price": dollars(row["price_cents"]),
            }
            for row in world.rows(_VARIANTS, product_id)
        },
    }


@tool(kind="read", public=True)
def list_all_product_types(world: World) -> dict[str, str]:
    """List the names of all products of the store with their product ids."""
    products = world.rows("SELECT name, product_id FROM products ORDER BY name")
    return {product["name"]: product["product_id"] for product in products}
