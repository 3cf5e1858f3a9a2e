"""Which model, where, with what parameters: from settings and the environment, for each role.

Settings are what goes into a record and makes a study what it is. Keys, and how patiently an
endpoint is asked, come from the environment only and are in no record.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from tau_env.errors import BadArgument, nearest
from tau_env.prices import Prices, prices_of, read_prices

Role = Literal["agent", "user", "judge"]

OPENAI_URL = "https://api.openai.com/v1"
TIMEOUT = 300.0
PATIENCE = 600.0
RETRIES = 3
BACKOFF = 1.0
SECRETS = re.compile(r"key|token$|secret|password|authorization|bearer|headers", re.IGNORECASE)
OURS = ("messages", "tools", "tool_choice", "response_format", "stream", "n", "seed")
"""Parts of a request that the scaffold and the trial decide."""


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One model at one address.

    Attributes:
        model: its name there.
        base_url: the address, to which ``/chat/completions`` is added; None for OpenAI's own.
        parameters: more parts of every request: temperature, reasoning_effort, max_tokens, and so
            on; None is sent as null.
        prices: what its tokens cost; None: unknown.
        key: the secret; never shown, recorded or compared.
        key_env: the environment variable that the key was asked to come from, if one was named.
        timeout: seconds that the endpoint may be silent during a call.
        patience: seconds that one call may wait for a rate limit.
        retries: further tries after a server error, a timeout or a lost connection.
        backoff: seconds before the second try, doubled for every further one, where the endpoint
            does not say how long to wait.
        rate: calls a second at most, shared by all who ask this address; None for no limit.
    """

    model: str
    base_url: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    prices: Prices | None = None
    key: str | None = field(default=None, repr=False, compare=False)
    key_env: str | None = None
    timeout: float = TIMEOUT
    patience: float = PATIENCE
    retries: int = RETRIES
    backoff: float = BACKOFF
    rate: float | None = None

    @property
    def address(self) -> str:
        """Where it is."""
        return (self.base_url or OPENAI_URL).rstrip("/")

    def settings(self) -> dict[str, Any]:
        """What goes into a record, complete enough for `find_endpoint`; the key is not in it."""
        found: dict[str, Any] = {"model": self.model, "base_url": self.address, **self.parameters}
        if self.prices is not None:
            found["prices"] = self.prices.row()
        if self.key_env is not None:
            found["api_key_env"] = self.key_env
        return found


def find_endpoint(
    role: Role, settings: Mapping[str, Any], *, environ: Mapping[str, str] | None = None
) -> Endpoint:
    """The endpoint of a role.

    Args:
        role: who asks it.
        settings: ``model``; ``base_url``; ``prices``, a table file or a row of one;
            ``api_key_env``, the name of an environment variable; anything else is a parameter of
            every request.
        environ: the environment, where settings do not say: ``TAU_ENV_AGENT_MODEL`` (of the role),
            then ``TAU_ENV_MODEL``, and in the same way ``…_BASE_URL`` and ``…_API_KEY``, for which
            ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY`` are asked last; ``TAU_ENV_PRICES``,
            ``TAU_ENV_TIMEOUT``, ``TAU_ENV_PATIENCE``, ``TAU_ENV_RETRIES``,
            ``TAU_ENV_BACKOFF`` and ``TAU_ENV_RATE``.

    Raises:
        BadArgument: no model, no key for OpenAI's own address, a secret among the settings, or a
            value that cannot be; the message never shows a secret.
    """
    known = _Environment(role, os.environ if environ is None else environ)
    given = dict(settings)
    model = given.pop("model", None) or known.find("MODEL")
    base_url = given.pop("base_url", None) or known.find("BASE_URL", last="OPENAI_BASE_URL")
    priced = given.pop("prices", None)
    named = given.pop("api_key_env", None)
    key = known.named(named) if named else known.find("API_KEY", last="OPENAI_API_KEY")
    _check_parameters(given, key)
    if not isinstance(model, str) or not model:
        raise BadArgument(
            f"the {role} is played by a model and none is named: give --model, the setting "
            f"'model', or TAU_ENV_{role.upper()}_MODEL"
        )
    _check_address(base_url)
    if key is None and (base_url or OPENAI_URL).rstrip("/") == OPENAI_URL:
        raise BadArgument(
            f"no key for {OPENAI_URL}: set OPENAI_API_KEY, or name another address with --base-url "
            "(a local server needs no key)"
        )
    return Endpoint(
        model=model,
        base_url=base_url,
        parameters=given,
        prices=_prices(priced, model, table=known.find("PRICES")),
        key=key,
        key_env=named,
        timeout=known.number("TIMEOUT", TIMEOUT),
        patience=known.number("PATIENCE", PATIENCE),
        retries=int(known.number("RETRIES", RETRIES, least=0.0)),
        backoff=known.number("BACKOFF", BACKOFF),
        rate=known.number("RATE", math.inf) if known.find("RATE") else None,
    )


class _Environment:
    """Environment variables of a role, then of all roles."""

    def __init__(self, role: str, environ: Mapping[str, str]) -> None:
        self._role = role.upper()
        self._environ = environ

    def find(self, name: str, *, last: str | None = None) -> str | None:
        names = (f"TAU_ENV_{self._role}_{name}", f"TAU_ENV_{name}", last)
        return next((self._environ[one] for one in names if one and self._environ.get(one)), None)

    def named(self, name: Any) -> str:
        found = self._environ.get(name) if isinstance(name, str) else None
        if not found:
            # What was given may be the key itself, so it is not shown.
            raise BadArgument(
                "the setting 'api_key_env' is the name of an environment variable that holds the "
                "key, and there is none of that name; export it first"
            )
        return found

    def number(self, name: str, default: float, *, least: float | None = None) -> float:
        text = self.find(name)
        if text is None:
            return default
        try:
            found = float(text)
        except ValueError:
            found = math.nan
        if math.isfinite(found) and (found > 0 if least is None else found >= least):
            return found
        rule = "above 0" if least is None else f"from {least:g}"
        raise BadArgument(f"TAU_ENV_{name} {text!r:.80}: a number {rule}")


def _check_parameters(given: Mapping[str, Any], key: str | None) -> None:
    for name, value in given.items():
        if SECRETS.search(name) and not isinstance(value, bool | int | float):
            raise BadArgument(
                f"setting {name!r} would be in every record: keys come from the environment only, "
                "such as OPENAI_API_KEY; name another variable with api_key_env=NAME"
            )
        if name in OURS:
            raise BadArgument(f"setting {name!r} is decided by the scaffold or the trial: drop it")
        if key and key in repr(value):
            raise BadArgument(f"setting {name!r} holds the key and would be in every record")
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            raise BadArgument(f"setting {name!r}: {value!r:.80} cannot be sent as JSON") from None


def _check_address(base_url: Any) -> None:
    if base_url is None:
        return
    try:
        parts = urlsplit(base_url if isinstance(base_url, str) else "")
        good = parts.scheme in ("http", "https") and bool(parts.hostname)
        secret = parts.username is not None or bool(parts.query or parts.fragment)
    except ValueError:
        good, secret = False, False
    if secret:
        raise BadArgument(
            "a base URL holds no user, password or query, because it is in every record; keys come "
            "from the environment, such as OPENAI_API_KEY"
        )
    if not good or parts.path.rstrip("/").endswith("/chat/completions"):
        raise BadArgument(
            f"base URL {base_url!r:.200}: an address up to the version, such as "
            "http://127.0.0.1:8000/v1"
        )


def _prices(given: Any, model: str, *, table: str | None) -> Prices | None:
    """Prices as given, by a row or a file, else from the environment's table if it has them."""
    if given is None:
        return None if table is None else read_prices(table).get(model)
    if not isinstance(given, str | os.PathLike):
        return prices_of(given, model=model)
    prices = read_prices(given)
    if model not in prices:
        raise BadArgument(
            f"no price of {model!r} in {given}.{nearest(model, prices)} Add a row, with 0 for a "
            "model that costs nothing"
        )
    return prices[model]
