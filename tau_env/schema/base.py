"""What all models share: the frozen base, the cell value, canonical JSON and digests."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import BaseModel, ConfigDict, StrictInt, StrictStr

Value = StrictInt | StrictStr | None
"""A cell of the database: an integer (money in cents), a text or NULL; True is no integer."""


class Frozen(BaseModel):
    """Base of the nouns: immutable, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def canonical_json(value: Any) -> str:
    """One text for one value: keys sorted, no spaces, no NaN; models are dumped first.

    Args:
        value: a model, or anything that `json` can write.

    Raises:
        ValueError: for NaN or an infinity.
    """
    return json.dumps(
        value,
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
        allow_nan=False,
        default=_plain,
    )


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    raise TypeError(f"{type(value).__name__} has no canonical JSON")


def digest(value: Any) -> str:
    """A content's name: the first 16 hex digits of the SHA-256 of its canonical JSON.

    A plain text is digested as its UTF-8 bytes, so the digest of a policy is that of its file.
    """
    text = value if isinstance(value, str) else canonical_json(value)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]
