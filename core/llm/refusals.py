"""Sorting refusals: wait and try again, this question fails, or the whole study must stop.

By status first, then by the names an endpoint gives the fault, then by its words. The recorded examples of each
provider are in ``tests/core/llm/refusals.yaml``. Pure.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from core.errors import ModelError, msg
from core.llm.faults import Fault

Kind = Literal["wait", "unit", "study"]
UNCERTAIN = (400, 422, 500)  # statuses with which servers refuse a setting or a reply format
OPTIONAL = (
    "response_format", "stream_options", "max_completion_tokens", "max_tokens", "top_p", "temperature", "seed",
)  # fmt: skip
LIMITS = ("max_tokens", "max_completion_tokens")

NO_CREDIT_NAMES = {
    "insufficient_quota", "exceeded_current_quota_error", "billing_hard_limit_reached", "billing_not_active",
    "insufficient_balance", "arrearage", "allocationquota.freetieronly", "1112", "1113",
}  # fmt: skip
NO_CREDIT = re.compile(
    r"credit balance is too low|insufficient (account )?balance|balance is insufficient|account in good standing"
    r"|your account is in good standing|欠费|余额不足",
    re.IGNORECASE,
)
ONLY_A_RATE = re.compile(r"allocated quota exceeded|aliyun\.com|alibabacloud\.com", re.IGNORECASE)
BAD_KEY_NAMES = {
    "invalid_api_key",
    "invalidapikey",
    "authentication_error",
    "1000",
    "1001",
    "1002",
    "1003",
    "1004",
}
BAD_KEY = re.compile(r"\bapi[ _-]?key (is )?(not valid|not found|expired|invalid)", re.IGNORECASE)
GONE_NAMES = {"model_not_found", "deploymentnotfound", "1211", "invalid_model", "modelnotfound"}
GONE = re.compile(
    r"is not a valid model id|model[^.]{0,60}(does not exist|not exist\b)|模型不存在", re.IGNORECASE
)
TOO_LONG_NAMES = {
    "context_length_exceeded",
    "exceed_context_size_error",
    "1261",
    "request_too_large",
    "string_above_max_length",
}
TOO_LONG = re.compile(
    r"maximum context length|context[ _]length[ _]exceeded|context window|exceeds? the available context size"
    r"|context size has been exceeded|exceeds? (the |this )?(model'?s )?(max(imum)? )?context length|longer than the model'?s context"
    r"|prompt (is )?too long|prompt exceeds max length|input (is|length is) too long|input length too long"
    r"|input token count.{0,40}exceeds|exceeded model token limit|range of input length|reduce the length of the (messages|prompt|input)"
    r"|must be at least 1, got -|prompt tokens limit exceeded|request entity too large|超长|exceeds? the max_model_len",
    re.IGNORECASE,
)
FILTERED_NAMES = {
    "content_filter", "content_policy_violation", "responsibleaipolicyviolation", "data_inspection_failed",
    "datainspectionfailed", "1301",
}  # fmt: skip
FILTERED = re.compile(
    r"content management policy|content policy|datainspectionfailed|inappropriate content|requires moderation on"
    r"|considered high risk|guardrail|safety system|敏感内容",
    re.IGNORECASE,
)
FORMAT = re.compile(
    r"\bresponse[_ ]format\b|\bjson_schema\b|\bjson_object\b|\b(json|response|output|invalid|guided|strict)[ _-]schema\b"
    r"|\bstructured[ _]outputs?\b|\b(parse|compile|invalid|guided|json)\W+(the )?grammar\b|\bgrammar (error|is not)",
    re.IGNORECASE,
)
REFUSES = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|not permitted|not allowed|cannot find field|deprecated"
    r"|not available|cannot both be|extra (inputs|fields|parameter)|instead",
    re.IGNORECASE,
)
OF_VALUE = re.compile(
    r"too (large|big|high|small|low)|range|between|at (least|most)|maximum|exceed|(greater|less|lower|more) than|must be|should be",
    re.IGNORECASE,
)


class Sorted(NamedTuple):
    kind: Kind
    code: str
    message: str


MESSAGES: dict[str, tuple[Kind, str]] = {
    "redirect": ("study", msg(
        "{where} sends requests on to another address ({status}), and nothing is sent there unasked. Enter the right base URL on Models and agents; what was answered is saved."
    )),
    "credit": ("study", msg(
        "{where} reports that no credit is left ({words}). Top up the account or choose another endpoint; what was answered is saved."
    )),
    "key": ("study", msg(
        "{where} refused the key ({status}: {words}). Enter the key again on Models and agents; what was answered is saved."
    )),
    "gone": ("study", msg(
        "{where} does not know this model or address ({status}: {words}). Check the base URL and the model's name on Models and agents; nothing was lost."
    )),
    "too_long": ("unit", msg(
        "The text is too long for the model at {where} ({words}). Choose a model with a larger context; nothing was lost."
    )),
    "filtered": ("unit", msg(
        "{where} refused the text by its content filter ({words}). Nothing was lost; this question stays without an answer."
    )),
    "busy": ("wait", msg(
        "{where} is busy (429: {words}). Wait a minute, then try again; what was answered is saved."
    )),
    "server": ("wait", msg(
        "{where} failed on its side ({status}: {words}). Try again later; what was answered is saved."
    )),
    "refused": ("unit", msg(
        "{where} refused the request ({status}: {words}). Show the request to see what was sent; nothing was lost."
    )),
    "timeout": ("wait", msg(
        "{where} did not answer in time. Try again, or raise the time limit for a slow model; what was answered is saved."
    )),
    "malformed": ("wait", msg(
        "{where} sent a reply that is not JSON, so it was not used. Check that the address is that of an OpenAI-compatible endpoint; nothing was lost."
    )),
    "empty": ("wait", msg(
        "{where} sent a reply that holds no answer. Try again, or check the model on Models and agents; nothing was lost."
    )),
    "unfinished": ("wait", msg(
        "{where} did not say how its reply ended, so it was not used: half a reply looks the same. Try again, or choose another model; nothing was lost."
    )),
    "stream": ("wait", msg(
        "{where} broke off in the middle of its reply, so it was not used. Try again; what was answered before is saved."
    )),
    "unreachable": ("wait", msg(
        "{where} cannot be reached ({words}). Check the address and that the server is running; what was answered is saved."
    )),
}  # fmt: skip
BY_PROXY = msg("The proxy {proxy} may be what cannot be reached. Ask whoever runs it.")
OF_TRANSPORT = {
    "timeout": "timeout", "malformed": "malformed", "no choice": "empty", "unfinished": "unfinished", "stream": "stream",
}  # fmt: skip


def in_words(fault: Fault, where: str, proxy: str = "") -> ModelError:
    """The fault (cleaned) as a sentence, sorted into *wait*, *unit* or *study*; ``proxy``: as it may be shown."""
    found = sort(fault)
    values: dict[str, Any] = {"where": where, "status": fault.status, "words": fault.kept, "code": found.code}
    message = found.message
    if proxy and found.code in ("unreachable", "timeout"):
        message, values["proxy"] = f"{message} {BY_PROXY}", proxy
    error = ModelError(message, kind=found.kind, **values)
    error.retry_after, error.usage = fault.retry_after, fault.usage
    return error


def sort(fault: Fault) -> Sorted:
    code = code_of(fault)
    kind, message = MESSAGES[code]
    return Sorted(kind, code, message)


def code_of(fault: Fault) -> str:
    """The code of a fault: its status decides wherever one status means one thing."""
    status, words, names = fault.status, fault.words, set(fault.codes)
    if not status:
        return OF_TRANSPORT.get(words, "unreachable")
    if 300 <= status < 400:
        return "redirect"
    if status == 402 or (status < 500 and names & NO_CREDIT_NAMES and not only_a_rate(fault)):
        return "credit"
    if status == 401:
        return "key"
    if status == 403:
        return "filtered" if means_filtered(fault) else "key"
    if status in (404, 405, 410):
        return "gone"
    if status == 413:
        return "too_long"
    if status == 429:
        return "credit" if NO_CREDIT.search(words) else "busy"
    if names & TOO_LONG_NAMES or TOO_LONG.search(words):
        return "too_long"
    if status >= 500 or status in (408, 409, 425, 499):
        return "server"
    if NO_CREDIT.search(words):
        return "credit"
    if names & BAD_KEY_NAMES or BAD_KEY.search(words):
        return "key"
    if names & GONE_NAMES or GONE.search(words):
        return "gone"
    return "filtered" if means_filtered(fault) else "refused"


def only_a_rate(fault: Fault) -> bool:
    """DashScope and SenseNova call a rate that was exceeded for a minute *insufficient_quota*."""
    return fault.status == 429 and bool(ONLY_A_RATE.search(fault.words))


def means_filtered(fault: Fault) -> bool:
    return bool(set(fault.codes) & FILTERED_NAMES or FILTERED.search(fault.words))


def refused_setting(fault: Fault, sent: Mapping[str, Any]) -> str:
    """The optional setting that the endpoint refuses by name, or an empty string.

    Nothing that has another meaning counts: a text that is too long, one that was filtered, a busy or broken server;
    nor a complaint about a value, which would come back with every other name of it.
    """
    if fault.status not in UNCERTAIN or code_of(fault) not in ("refused", "server"):
        return ""
    if "response_format" in sent and (fault.param == "response_format" or FORMAT.search(fault.words)):
        return "response_format"
    if fault.status == 500:
        return ""
    named = [
        name
        for name in OPTIONAL
        if name in sent and (fault.param == name or names_setting(fault.words, name))
    ]
    refuses = bool(REFUSES.search(fault.words)) or bool(
        {"unsupported_parameter", "unsupported_value"} & set(fault.codes)
    )
    for name in named:
        if refuses or (name not in LIMITS and not OF_VALUE.search(fault.words)):
            return name
    return ""


def names_setting(words: str, name: str) -> bool:
    """Whether a setting is named as one: quoted, or a word that can be nothing else, or called a parameter."""
    quoted = rf"['\"`“‘\\]{name}['\"`”’\\]"
    if "_" in name:
        return bool(re.search(rf"{quoted}|(?<![\w.]){name}(?!\w)", words))
    called = (
        rf"\b(parameter|argument|field|option|setting|property|name|arguments|inputs?):?\s+{name}\b|^{name}: "
    )
    return bool(re.search(rf"{quoted}|{called}|\b{name} (is|parameter|field)\b", words, re.IGNORECASE))
