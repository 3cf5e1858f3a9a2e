"""What holds of every seeded toy store: SELECTs that return the rows which break it."""

from __future__ import annotations

from tau_env.world.company import Law

_TOTAL = "(SELECT sum(quantity * price_cents) FROM order_items i WHERE i.order_id = o.order_id)"
_NET = (
    "(SELECT sum(CASE transaction_type WHEN 'payment' THEN amount_cents ELSE -amount_cents END)"
    " FROM payments p WHERE p.order_id = o.order_id)"
)
_REQUESTED = (
    "(SELECT count(*) FROM requested_items r WHERE r.order_id = o.order_id AND r.role = '{}')"
)
_SHIPPED = "('processed', 'delivered', 'return requested', 'exchange requested')"

LAWS = (
    Law(
        "payments less refunds are the order's total, and nothing for a cancelled order",
        f"SELECT order_id FROM orders o WHERE coalesce({_NET}, -1) <>"
        f" CASE status WHEN 'cancelled' THEN 0 ELSE coalesce({_TOTAL}, -2) END",
    ),
    Law(
        "every order holds an item",
        "SELECT order_id FROM orders o WHERE NOT EXISTS"
        " (SELECT 1 FROM order_items i WHERE i.order_id = o.order_id)",
    ),
    Law(
        "what a pending order holds costs what it costs today",
        "SELECT i.order_id, i.item_id FROM order_items i JOIN orders o USING (order_id)"
        " JOIN variants v USING (item_id)"
        " WHERE o.status LIKE 'pending%' AND i.price_cents <> v.price_cents",
    ),
    Law(
        "an order is paid with its customer's payment methods",
        "SELECT p.payment_id FROM payments p JOIN orders o USING (order_id)"
        " JOIN payment_methods m USING (payment_method_id) WHERE m.user_id <> o.user_id",
    ),
    Law(
        "refunds and differences of an order go to its customer's payment methods",
        "SELECT o.order_id FROM orders o JOIN payment_methods m ON m.payment_method_id IN"
        " (o.return_payment_method_id, o.exchange_payment_method_id) WHERE m.user_id <> o.user_id",
    ),
    Law(
        "no payment method gets back more than it paid, price differences apart",
        "SELECT p.order_id FROM payments p JOIN orders o USING (order_id)"
        " WHERE o.status <> 'pending (item modified)' GROUP BY p.order_id, p.payment_method_id"
        " HAVING sum(CASE transaction_type WHEN 'payment' THEN amount_cents ELSE -amount_cents"
        " END) < 0",
    ),
    Law(
        "an order has shipments, and all its items are in them, exactly if it has left",
        "SELECT i.order_id FROM order_items i JOIN orders o USING (order_id)"
        f" WHERE (i.tracking_id IS NOT NULL) <> (o.status IN {_SHIPPED})",
    ),
    Law(
        "a shipment carries items of its order",
        "SELECT tracking_id FROM shipments s WHERE NOT EXISTS (SELECT 1 FROM order_items i"
        " WHERE i.tracking_id = s.tracking_id AND i.order_id = s.order_id)"
        " OR EXISTS (SELECT 1 FROM order_items i"
        " WHERE i.tracking_id = s.tracking_id AND i.order_id <> s.order_id)",
    ),
    Law(
        "items are to come back exactly if a return or an exchange is requested",
        "SELECT order_id FROM orders o WHERE"
        f" (status = 'return requested') <> ({_REQUESTED.format('return')} > 0)"
        f" OR (status = 'exchange requested') <> ({_REQUESTED.format('exchange')} > 0)"
        f" OR (status = 'exchange requested') <> ({_REQUESTED.format('replacement')} > 0)",
    ),
    Law(
        "what is to come back is in the order",
        "SELECT r.order_id, r.item_id FROM requested_items r LEFT JOIN order_items i"
        " ON i.order_id = r.order_id AND i.item_id = r.item_id"
        " WHERE r.role <> 'replacement' AND coalesce(i.quantity, 0) < r.quantity",
    ),
    Law(
        "an exchange's price difference is today's price of the new less the price paid",
        "SELECT order_id FROM orders o WHERE status = 'exchange requested' AND"
        " exchange_price_difference_cents <> (SELECT sum(r.quantity * CASE r.role"
        " WHEN 'replacement' THEN v.price_cents ELSE -i.price_cents END)"
        " FROM requested_items r JOIN variants v USING (item_id) LEFT JOIN order_items i"
        " ON i.order_id = r.order_id AND i.item_id = r.item_id WHERE r.order_id = o.order_id)",
    ),
    Law(
        "a product has 3 to 12 variants, two of them available",
        "SELECT product_id FROM products LEFT JOIN variants v USING (product_id)"
        " GROUP BY product_id HAVING count(v.item_id) NOT BETWEEN 3 AND 12 OR sum(available) < 2",
    ),
    Law(
        "two variants of a product differ in an option and have the same options",
        "SELECT a.item_id FROM variants a JOIN variants b USING (product_id)"
        " WHERE a.item_id < b.item_id AND (SELECT group_concat(name || '=' || value) FROM"
        " (SELECT * FROM variant_options WHERE item_id = a.item_id ORDER BY name)) ="
        " (SELECT group_concat(name || '=' || value) FROM"
        " (SELECT * FROM variant_options WHERE item_id = b.item_id ORDER BY name))"
        " UNION ALL SELECT a.item_id FROM variants a JOIN variants b USING (product_id)"
        " WHERE a.item_id <> b.item_id AND EXISTS (SELECT 1 FROM variant_options o"
        " WHERE o.item_id = a.item_id AND o.name NOT IN"
        " (SELECT name FROM variant_options WHERE item_id = b.item_id))",
    ),
    Law(
        "a customer has 1 to 3 payment methods",
        "SELECT user_id FROM customers LEFT JOIN payment_methods m USING (user_id)"
        " GROUP BY user_id HAVING count(m.payment_method_id) NOT BETWEEN 1 AND 3",
    ),
    Law(
        "name and zip code identify a customer",
        "SELECT min(user_id) FROM customers GROUP BY lower(first_name), lower(last_name), zip"
        " HAVING count(*) > 1",
    ),
    Law(
        "a user id ends in a number of its own",
        "SELECT min(user_id) FROM customers GROUP BY"
        " substr(user_id, length(first_name) + length(last_name) + 3) HAVING count(*) > 1",
    ),
    Law(
        "every status occurs",
        "WITH wanted (value) AS (VALUES ('pending'), ('pending (item modified)'), ('processed'),"
        " ('delivered'), ('cancelled'), ('return requested'), ('exchange requested'))"
        " SELECT value FROM wanted"
        " WHERE value NOT IN (SELECT status FROM orders)",
    ),
    Law(
        "gift cards hold nothing below zero, and some hold little",
        "SELECT payment_method_id FROM payment_methods WHERE balance_cents < 0 UNION ALL"
        " SELECT 'none holds little' WHERE NOT EXISTS"
        " (SELECT 1 FROM payment_methods WHERE balance_cents < 1500)",
    ),
)
