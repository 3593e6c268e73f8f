"""Which addresses are on this machine. Pure but for the environment."""

import ipaddress
import os
import re
from functools import lru_cache
from urllib.parse import urlsplit

# Every reader of an address (ours, the client's, a proxy's) has to find the same host in it.
PLAIN = re.compile(
    r"https?://(?P<host>[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?P<port>:\d{1,5})?(?:/[\w.~%/+:=,;!$&()*-]*)?",
    re.IGNORECASE | re.ASCII,
)


def is_here(base_url: str) -> bool:
    """Whether text sent there stays on this machine: loopback, or a host in RAPPORT_LOCAL_HOSTS.

    Names that only some resolvers take for this machine (``localhost.``, ``127.1``, ``0.0.0.0``) are outside, and so
    is what is no address.
    """
    return _is_here(base_url.strip(), os.environ.get("RAPPORT_LOCAL_HOSTS", ""))


@lru_cache(maxsize=256)
def _is_here(base_url: str, listed: str) -> bool:
    found = PLAIN.fullmatch(base_url)
    try:
        host = (urlsplit(base_url).hostname or "").lower()
    except ValueError:
        return False
    if found is None or not host:
        return False
    names = {name.strip().lower() for name in listed.split(",") if name.strip()}
    written = found["host"].lower()
    if host == "localhost" or names & {host, written, f"{written}{found['port'] or ''}"}:
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)
