"""The toy store: customers, products with variants, orders in every status, sixteen tools."""

from tau_env import content
from tau_env.domains.retail.laws import LAWS
from tau_env.domains.retail.lexicon import build_lexicon
from tau_env.domains.retail.policy import IDENTITY, RULES
from tau_env.domains.retail.seed import build
from tau_env.domains.retail.tools import FUNCTIONS
from tau_env.world.company import Domain

DOMAIN = Domain(
    name="retail",
    version=1,
    now="2025-03-14T15:00:00",
    schema=content.domain_text("retail", "schema.sql"),
    build=build,
    functions=FUNCTIONS,
    policy=content.policy("retail"),
    rulebook=RULES,
    lexicon=build_lexicon(),
    identity=IDENTITY,
    customers="customers.user_id",
    generated={"payments": "payment_id"},
    references={
        "payments.order_id": "orders",
        "payments.payment_method_id": "payment_methods",
        "payment_methods.user_id": "customers",
        "orders.user_id": "customers",
        "orders.return_payment_method_id": "payment_methods",
        "orders.exchange_payment_method_id": "payment_methods",
        "order_items.order_id": "orders",
        "order_items.item_id": "variants",
        "order_items.tracking_id": "shipments",
        "requested_items.order_id": "orders",
        "requested_items.item_id": "variants",
        "shipments.order_id": "orders",
        "variants.product_id": "products",
        "variant_options.item_id": "variants",
    },
    laws=LAWS,
)
