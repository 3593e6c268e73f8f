"""The gate: every text is checked against the endpoint before anything is sent."""

import re
from urllib.parse import urlsplit

from core.addresses import PLAIN, is_here
from core.clearance import Clearance, Standing
from core.consent import OUTSIDE, RATED
from core.errors import DataError, ModelError, Refused, msg
from core.llm.redaction import redacted
from core.llm.seam import Endpoint, Question


def host_of(base_url: str) -> str:
    """The host of a base URL.

    Raises:
        DataError: not an http(s) address, or one that carries a password.
    """
    try:
        parts = urlsplit(base_url.strip())
        host = parts.hostname
    except ValueError:
        parts, host = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not host:
        raise DataError(
            "“{url}” is not an address of a model endpoint. It should look like https://host/v1; nothing was sent.",
            url=shown(base_url),
        )
    if parts.username or parts.password:
        raise DataError(
            "The address contains a password. Enter the key in its own field; nothing was sent or saved."
        )
    return host.lower()


def check_address(base_url: str) -> None:
    """An address that may be saved and asked: host, port and path, and nothing that could be a key.

    Raises:
        DataError: it carries a query, a fragment, a user or a password, or is none.
    """
    host_of(base_url)
    if "?" in base_url or "#" in base_url:
        raise DataError(
            "The address has something after “{mark}”. An address is host and path; enter a key in its own field. "
            "Nothing was sent or saved.",
            mark="?" if "?" in base_url else "#",
        )
    if not PLAIN.fullmatch(base_url.strip()):
        raise DataError(
            "“{url}” is not an address of a model endpoint. It should look like https://host/v1; nothing was sent.",
            url=shown(base_url),
        )


def shown(base_url: str) -> str:
    """An address as it may be shown: without what may be a key."""
    return redacted(re.sub(r"//[^/@]*@", "//", base_url.split("?", 1)[0].split("#", 1)[0]))


def is_local(endpoint: Endpoint) -> bool:
    """Whether text stays on this machine: the demo engine, loopback, or a host in RAPPORT_LOCAL_HOSTS.

    Names that only some resolvers take for this machine (``localhost.``, ``127.1``, ``0.0.0.0``) are outside.

    Raises:
        DataError: its base URL is no address.
    """
    if endpoint.kind == "demo":
        return True
    host_of(endpoint.base_url)
    return is_here(endpoint.base_url)


def is_open(endpoint: Endpoint) -> bool:
    """Whether text would travel unencrypted to a host outside."""
    return urlsplit(endpoint.base_url.strip()).scheme == "http" and not is_local(endpoint)


def check_way(endpoint: Endpoint) -> None:
    """Nothing goes out unencrypted, unless a person insisted for this address.

    Raises:
        ModelError: plain http to a host outside. Nothing was sent.
    """
    if endpoint.kind != "demo" and is_open(endpoint) and not endpoint.http_allowed:
        raise ModelError(
            "{where} is not encrypted (http), so nothing was sent: text and key could be read on the way. Enter the "
            "address with https, or allow plain http for it on Models and agents.",
            kind="study",
            where=shown(endpoint.base_url),
            code="open",
        )


WITHDRAWN = msg(
    "Nothing was sent: somebody who has a say in {noun} {id} withdrew it, so it is used no more. Choose another one."
)
NOT_RATED = msg(
    "Nothing was sent: not everybody who has a say in {noun} {id} agreed to its being rated here. Choose another one, or "
    "ask them for their consent."
)
UNCONFIRMED = msg(
    "Nothing was sent to {where}: {noun} {id} may still hold personal data. Read it and confirm that nobody can be "
    "recognized, or choose an engine on this machine."
)
NOT_AGREED = msg(
    "Nothing was sent to {where}: not everybody who has a say in {noun} {id} agreed to this address. Ask them for their "
    "consent, or choose an engine on this machine."
)


def check(question: Question, endpoint: Endpoint) -> None:
    """Let the question pass, or refuse naming the record that holds it back. Reads how all its sources stand now.

    Raises:
        Refused: one of its sources may not be used for this, or not by this endpoint. Nothing was sent.
        NotFound: one of its sources was deleted. Nothing was sent.
        ModelError: the way to this endpoint is not encrypted. Nothing was sent.
    """
    local = is_local(endpoint)
    if not local:
        check_way(endpoint)
    for standing in question.standings():
        if why := held_back(standing, question.use, "" if local else endpoint.base_url):
            raise Refused(why, noun=standing.noun, id=standing.named, where=endpoint.base_url)


def held_back(standing: Standing, use: str, outside: str) -> str:
    """Why words may not be used so, as a message; empty where they may.

    Args:
        outside: base URL of an endpoint outside; empty where words stay on this machine.
    """
    asked = standing.everybody
    if standing.withdrawn:
        return WITHDRAWN
    if use == "rating" and asked is not None and not asked.allow(RATED):
        return NOT_RATED
    if outside and standing.clearance is Clearance.UNCONFIRMED:
        return UNCONFIRMED
    if outside and asked is not None and not asked.allow(OUTSIDE, outside):
        return NOT_AGREED
    return ""
