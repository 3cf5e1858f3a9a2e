"""The sixteen tools of the toy store, with the names and arguments of the τ-bench interface."""

from collections.abc import Callable
from typing import Any

from tau_env.domains.retail.tools.delivered import (
    exchange_delivered_order_items,
    return_delivered_order_items,
)
from tau_env.domains.retail.tools.lookups import (
    find_user_id_by_email,
    find_user_id_by_name_zip,
    get_order_details,
    get_product_details,
    get_user_details,
    list_all_product_types,
)
from tau_env.domains.retail.tools.pending import (
    cancel_pending_order,
    modify_pending_order_address,
    modify_pending_order_items,
    modify_pending_order_payment,
)
from tau_env.domains.retail.tools.profile import modify_user_address
from tau_env.world.general import calculate, think, transfer_to_human_agents

FUNCTIONS: tuple[Callable[..., Any], ...] = (
    find_user_id_by_email,
    find_user_id_by_name_zip,
    get_user_details,
    get_order_details,
    get_product_details,
    list_all_product_types,
    cancel_pending_order,
    modify_pending_order_address,
    modify_pending_order_items,
    modify_pending_order_payment,
    modify_user_address,
    return_delivered_order_items,
    exchange_delivered_order_items,
    calculate,
    think,
    transfer_to_human_agents,
)
