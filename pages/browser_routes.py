"""Routes of the app that tell a browser who it is: a secret in a cookie that no script can read.

A page makes a ticket and sends its browser to ``/person/<ticket>``. That gives the browser a secret and sends it on
to ``/person/<ticket>/kept``: only a browser that shows the secret there becomes a person. So neither loading a page
nor a browser without cookies leaves anything in the store.
"""

from collections.abc import Callable
from urllib.parse import quote, urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from core.errors import WorkbenchError, msg
from core.people import service
from pages.components import identity, resources
from pages.components.drawing import esc
from pages.components.tickets import LINKS, OFFERED, SEATS, Offered, Seat
from pages.components.words import catalogue
from storage import tables
from storage.store import Store

LONGEST = 400 * 24 * 3600  # seconds; browsers keep no cookie longer
QUIET = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
NEEDED = msg("Rapport needs a cookie")
WHY = msg(
    "It keeps apart who sits in which browser, and your browser did not keep it. Allow cookies for this address "
    "(often under the sign beside the address, or under Settings → Privacy), then go on. Nothing was saved or lost."
)
KNOWN = msg("This browser is known already")
KNOWN_WHY = msg("Another window of this browser was faster, or somebody else sits here now. Nothing was saved or lost.")
OLD = msg("This link does not count any more")
OLD_WHY = msg("It can be used once, within ten minutes. Make a new one in the other browser. Nothing was changed.")
GO_ON = msg("Go on")


def inside(to: str) -> str:
    """The path and query to go on to, if they are of this app; else its first page."""
    parts = urlsplit(to)
    odd = "\\" in to or any(ord(sign) < 33 or ord(sign) == 127 for sign in to)
    if not to.startswith("/") or to.startswith("//") or odd or parts.scheme or parts.netloc:
        return identity.base() + "/"
    return identity.base() + "/" if is_route(parts.path) else to


def is_route(path: str) -> bool:
    return any(path.startswith(f"{identity.base()}/{name}/") for name in ("person", "also"))


def is_visit(request: Request) -> bool:
    """Whether somebody goes to the address: HEAD and a browser that fetches ahead change nothing."""
    return request.method == "GET" and "prefetch" not in request.headers.get("sec-purpose", request.headers.get("purpose", ""))


def is_https(request: Request) -> bool:
    """Whether the browser speaks TLS, to us or to the proxy before us."""
    return "https" in (request.url.scheme, request.headers.get("x-forwarded-proto", "").split(",")[0].strip())


def give_seat(request: Request, store: Store, to: str) -> Response:
    """First step: the browser gets a secret, if it is still the one the ticket was made for."""
    seat = SEATS.take(request.path_params["ticket"])
    if seat is None:
        return go(to)
    if seat.before != row_of(store, request):
        return tell(request, KNOWN, KNOWN_WHY, to)
    secret = service.new_secret()
    ticket = OFFERED.make(Offered(seat, service.hash_of(secret)))
    answer = go(f"{identity.base()}/person/{ticket}/kept?to={quote(to, safe='')}")
    keep(answer, request, identity.cookie_name(store), secret, LONGEST)
    return answer


def take_seat(request: Request, store: Store, to: str) -> Response:
    """Second step: the browser kept the secret, so somebody new sits there; who sat there cannot act from it any more."""
    offered = OFFERED.take(request.path_params["ticket"])
    if offered is None:
        return go(to)
    secret = cookie(store, request)
    if service.hash_of(secret) == offered.hash:
        sit(store, offered.seat, secret)
        return go(to)
    if row_of(store, request) is not None or service.hash_of(secret) in {one.hash for one in OFFERED.live()}:
        return tell(request, KNOWN, KNOWN_WHY, to)
    return tell(request, NEEDED, WHY, to)


def sit(store: Store, seat: Seat, secret: str) -> tables.Person:
    if seat.before is not None:
        service.forget_browser(store, seat.before)
    return service.begin(store, secret, seat.roles, seat.code, **seat.codes)


def open_link(request: Request, store: Store, _to: str) -> Response:
    """“This browser is me too”: keeps the ticket for the pages, which name both persons and ask."""
    ticket, home = request.path_params["ticket"], identity.base() + "/"
    if LINKS.look(ticket) is None:
        return tell(request, OLD, OLD_WHY, home)
    answer = go(home)
    keep(answer, request, identity.link_cookie_name(store), ticket, int(LINKS.lifetime))
    return answer


def cookie(store: Store, request: Request) -> str:
    return request.cookies.get(identity.cookie_name(store), "")


def row_of(store: Store, request: Request) -> int | None:
    """The row whose secret the browser shows."""
    return service.row_of_secret(store, cookie(store, request))


def go(to: str) -> RedirectResponse:
    return RedirectResponse(to, status_code=303, headers=QUIET)


def keep(answer: Response, request: Request, name: str, value: str, seconds: int) -> None:
    answer.set_cookie(name, value, max_age=seconds, path="/", secure=is_https(request), httponly=True, samesite="lax")


def tell(request: Request, title: str, sentence: str, to: str) -> HTMLResponse:
    """A page of plain words with the way on: no pages of the workbench can be shown to a browser nobody knows."""
    wanted = "zh" if request.headers.get("accept-language", "").lower().startswith("zh") else "en"
    head, body, on = (esc(catalogue(wanted).gettext(words)) for words in (title, sentence, GO_ON))
    return HTMLResponse(
        f'<!doctype html><html lang="{wanted}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>Rapport</title><style>body{{font:1.05rem/1.6 sans-serif;max-width:34rem;margin:4rem auto;padding:0 1rem}}</style>"
        f'<h1>{head}</h1><p>{body}</p><p><a href="{esc(to)}">{on}</a></p></html>',
        headers=QUIET,
    )


Step = Callable[[Request, Store, str], Response]


def step(work: Step) -> Callable[[Request], Response]:
    """A step for who goes to its address, with where they go on to; a store that cannot be used is said by the pages."""

    def answer(request: Request) -> Response:
        if not is_visit(request):
            return Response(status_code=204, headers=QUIET)
        try:
            return work(request, resources.store(), inside(request.query_params.get("to", "/")))
        except WorkbenchError:
            return go(identity.base() + "/")

    return answer


def routes() -> list[Route]:
    base = identity.base()
    return [
        Route(f"{base}/person/{{ticket}}", step(give_seat)),
        Route(f"{base}/person/{{ticket}}/kept", step(take_seat)),
        Route(f"{base}/also/{{ticket}}", step(open_link)),
    ]
