"""The gate: every text is checked against the endpoint before anything is sent."""

import ipaddress
import os
from urllib.parse import urlsplit

from core.errors import DataError, Refused
from core.llm.seam import Clearance, Endpoint, Question


def host_of(base_url: str) -> str:
    """The host of a base URL.

    Raises:
        DataError: not an http(s) address, or one that carries a password.
    """
    parts = urlsplit(base_url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise DataError(
            "“{url}” is not an address of a model endpoint. It should look like https://host/v1; nothing was sent.",
            url=base_url,
        )
    if parts.username or parts.password:
        raise DataError(
            "The address contains a password. Enter the key in its own field; nothing was sent or saved."
        )
    return parts.hostname.lower()


def is_local(endpoint: Endpoint) -> bool:
    """Whether text stays on this machine: the demo engine, loopback, or a host in RAPPORT_LOCAL_HOSTS."""
    if endpoint.kind == "demo":
        return True
    host = host_of(endpoint.base_url)
    listed = {
        name.strip().lower() for name in os.environ.get("RAPPORT_LOCAL_HOSTS", "").split(",") if name.strip()
    }
    if host == "localhost" or host in listed:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check(question: Question, endpoint: Endpoint) -> None:
    """Let the question pass, or refuse naming the record that holds it back.

    Raises:
        Refused: its lowest clearance does not allow this endpoint. Nothing was sent.
    """
    if is_local(endpoint) or question.clearance >= Clearance.CONFIRMED:
        return
    where = endpoint.base_url
    if question.clearance == Clearance.LIVE:
        if question.consented and question.consented.rstrip("/") == where.rstrip("/"):
            return
        raise Refused(
            "The text of {record} was written by a person who did not consent to {where}. Ask for consent to this "
            "endpoint, or choose an engine on this machine; nothing was sent.",
            record=question.record,
            where=where,
        )
    raise Refused(
        "{record} may still hold personal data, so it was not sent to {where}. Review and confirm its masking, or "
        "choose an engine on this machine; nothing was sent.",
        record=question.record or "This text",
        where=where,
    )
