"""The way to an endpoint: which proxy, if any, and the client that takes exactly this way."""

from typing import Any
from urllib.parse import urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

from core.llm.gate import host_of, is_local
from core.llm.seam import Endpoint

OPENAI = "api.openai.com"


def proxy_to(endpoint: Endpoint) -> str:
    """The proxy of the environment or the operating system on the way to an endpoint; empty for none.

    Text for this machine never takes one: a proxy is another machine.
    """
    if endpoint.kind == "demo" or is_local(endpoint):
        return ""
    parts = urlsplit(endpoint.base_url.strip())
    known = getproxies()
    proxy = known.get(parts.scheme) or known.get("all") or ""
    if not proxy or proxy_bypass(parts.netloc):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"


def proxy_shown(endpoint: Endpoint) -> str:
    """The proxy as it may be shown: without its user and password."""
    parts = urlsplit(proxy_to(endpoint))
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], "", "", ""))


def client_for(endpoint: Endpoint, key: str, timeout: float) -> Any:
    """The openai client for one endpoint: our own retries, our own proxy, no redirects, and no account of
    api.openai.com (organization, project: the package reads them from the environment) told to anybody else."""
    import httpx2
    from openai import AsyncOpenAI, DefaultAioHttpClient, Omit

    theirs = (
        {}
        if host_of(endpoint.base_url) == OPENAI
        else {"OpenAI-Organization": Omit(), "OpenAI-Project": Omit()}
    )
    http = DefaultAioHttpClient(
        follow_redirects=False,
        trust_env=False,  # its own reading of proxies knows nothing of what stays here
        proxy=proxy_to(endpoint) or None,
        verify=httpx2.create_ssl_context(),  # certificates named in the environment still count
    )
    return AsyncOpenAI(
        base_url=endpoint.base_url,
        api_key=key or "none",
        max_retries=0,
        timeout=timeout,
        http_client=http,
        default_headers=theirs,  # type: ignore[arg-type] # Omit is how the package leaves a header out
    )
