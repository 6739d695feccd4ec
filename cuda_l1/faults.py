"""What a chat server's error means: wait and ask again, ask otherwise, or give up with words that say what to do.

Errors of the openai library go in. That library's own retries are switched off, because it gives up after a few tries,
tells nobody that it waits, repeats what cannot succeed (a spent account), and falls back to a short pause where the
server asks for a long one (openai 3.52 `_base_client.py`, `_calculate_retry_timeout` and `_should_retry`: Retry-After
is honoured up to 120 s, x-ratelimit headers are not read).
Not covered: the waiting itself, and who waits (llm).
"""

from __future__ import annotations

import base64
import contextlib
import email.utils
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from cuda_l1.errors import AwayError, ModelError

KEY_NAMES = ("CUDA_L1_API_KEY", "OPENAI_API_KEY")
MAX_RETRIES = 3
"""Tries more where the server itself fails (500 and the like). One that is away, loading, busy or at a rate limit
(no connection, 408, 409, 429, 502 to 504, 524, 529) is waited for instead, as long as the caller's patience lasts."""
WAITED_FOR = {408, 409, 429, 502, 503, 504, 524, 529}
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 30.0
SPENT = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")
"""Codes of a 429 that no waiting cures (platform.openai.com/docs/guides/error-codes)."""
TOO_LONG = re.compile(
    r"context.{0,20}(length|size|window)|too (large|long)|at most \d+ (completion )?tokens", re.IGNORECASE
)
_UNITS_S = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "": 1.0}


class Secrets:
    """The key and what a URL hides, and the forms in which a server may say them back."""

    def __init__(self, key: str | None, user: str = "", password: str = "") -> None:
        texts = (key, password or user, basic(user, password))  # some services take a token for a user
        forms = {form for text in texts if text for form in (text, quote(text, safe=""))}
        self._forms = sorted(forms, key=len, reverse=True)

    def hide(self, text: str, shortest: int = 1) -> str:
        """The text with *** for each secret of at least so many characters."""
        for form in self._forms:
            if len(form) >= shortest:
                text = text.replace(form, "***")
        return text


def without_login(url: str) -> tuple[str, str, str]:
    """The URL without what stands before the @, and the user and the password that stand there."""
    parts = urlsplit(url)
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return bare, unquote(parts.username or ""), unquote(parts.password or "")


def basic(user: str, password: str) -> str:
    """The login as HTTP's basic authentication writes it; "" where there is none."""
    return base64.b64encode(f"{user}:{password}".encode()).decode() if user or password else ""


def pause_s(error: Any, tries: int) -> float | None:
    """Seconds after which to ask again, or None where that is no use; `tries` is how often it was asked again."""
    import openai

    status = getattr(error, "status_code", None)
    headers: Mapping[str, str] = error.response.headers if status else {}
    backoff = min(FIRST_PAUSE_S * 2.0**tries, LONGEST_PAUSE_S)
    if isinstance(error, openai.APIConnectionError):
        return backoff
    if headers.get("x-should-retry") == "false" or (status == 429 and getattr(error, "code", None) in SPENT):
        return None
    if status in WAITED_FOR:
        return asked_pause_s(headers) or backoff
    broke = status is None or int(status) >= 500 or headers.get("x-should-retry") == "true"
    return (asked_pause_s(headers) or backoff) if broke and tries < MAX_RETRIES else None


def asked_pause_s(headers: Mapping[str, str]) -> float | None:
    """The wait that the server asks for: retry-after-ms, Retry-After in seconds or as a date, x-ratelimit-reset-*.

    The last as OpenAI writes them, `6m0s` or `20ms`, of those limits of which nothing remains.
    https://developer.mozilla.org/docs/Web/HTTP/Headers/Retry-After, platform.openai.com/docs/guides/rate-limits
    """
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        value = headers.get(name, "")
        if re.fullmatch(r"\d+(\.\d+)?", value) and float(value) > 0:
            return float(value) * unit
        with contextlib.suppress(ValueError, OverflowError):  # a date that no calendar has
            if date := email.utils.parsedate_tz(value):
                return max(float(email.utils.mktime_tz(date)) - time.time(), 0.0) or None
    waits = [0.0]
    for kind in ("requests", "tokens"):
        if headers.get(f"x-ratelimit-remaining-{kind}", "").strip() == "0":
            reset = headers.get(f"x-ratelimit-reset-{kind}", "")
            waits.append(sum(float(n) * _UNITS_S[u] for n, u in re.findall(r"(\d+(?:\.\d+)?)(ms|s|m|h|d|)", reset)))
    return max(waits) or None


def message(error: Any) -> str:
    """The server's own words: servers that are not OpenAI's put them elsewhere in the body."""
    body = getattr(error, "body", None)
    more = body.get("detail", "") if isinstance(body, dict) else body if isinstance(body, str) else ""
    return f"{getattr(error, 'message', error)} {more}".strip()


def refused(error: Any, parameters: Iterable[str]) -> str | None:
    """The one of our parameters that the server's refusal is about."""
    if getattr(error, "status_code", None) not in (400, 422):
        return None
    param, text = getattr(error, "param", None), message(error)
    by_name = [name for name in parameters if name == param]
    return next(iter(by_name or [name for name in parameters if re.search(rf"\b{name}\b", text)]), None)


def too_long(error: Any) -> bool:
    """Whether prompt and max_tokens together are more than the model takes."""
    return getattr(error, "status_code", None) in (400, 413, 422) and bool(TOO_LONG.search(message(error)))


def explained(error: Any, *, url: str, model: str, secrets: Secrets, listed: Sequence[str] = ()) -> ModelError:
    """The openai library's error in words that say what to do, without the key; an AwayError where waiting may help."""
    import openai

    status = getattr(error, "status_code", None)
    spent = status == 429 and getattr(error, "code", None) in SPENT
    is_away = isinstance(error, openai.APIConnectionError) or (status in WAITED_FOR and not spent)
    said = " ".join(secrets.hide(message(error)).split())[:300]
    if isinstance(error, openai.APIConnectionError):
        text = f"{url} cannot be reached: is the server running, and is --base-url right?"
    elif status is None:
        text = f"{url} broke off its answer ({said}): see the server's log"
    elif status in (401, 403):
        # The server's own words may quote the key, or a part of it.
        text = f"{url} refused the key (HTTP {status}): set {' or '.join(KEY_NAMES)} to a valid one"
    elif status == 404:
        known = f"; it serves {', '.join(sorted(listed)[:10])}" if listed else ""
        text = f"{url} knows no model {model} (HTTP 404: {said}){known}; check --model and --base-url"
    elif spent:
        text = f"the account's budget at {url} is spent (HTTP 429: {said})"
    elif status == 429:
        text = f"{url} is at its rate limit (HTTP 429: {said}){_asked(error)}"
    elif status in WAITED_FOR:
        text = f"{url} is loading or overloaded (HTTP {status}: {said}){_asked(error)}: try again when it is ready"
    elif status >= 500:
        text = f"{url} keeps failing (HTTP {status}: {said}): see the server's log"
    elif too_long(error):
        remedy = "show fewer exemplars, or give the server a larger context"
        text = f"the prompt is longer than {model} takes (HTTP {status}: {said}): {remedy}"
    else:
        text = f"{url} refused the request (HTTP {status}: {said})"
    return AwayError(text) if is_away else ModelError(text)


def _asked(error: Any) -> str:
    asked = asked_pause_s(error.response.headers)
    return f", and asks to wait {asked:.0f} s" if asked and asked >= 1 else ""
