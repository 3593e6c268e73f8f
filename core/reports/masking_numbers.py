"""Numbers, addresses and dates that point to a person: the rules for both languages. Pure.

Reading a text takes time in proportion to its length: runs that can grow are possessive (``++``) and begin only
where none went before, so that no part of a run is read again from within.
"""

import re

from core.reports.masking_hits import Hit, words

CASE = re.IGNORECASE
HAN = "\u4e00-\u9fff"
EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]++\s?@\s?[\w-]+(?:\.[\w-]+)+", re.ASCII)
LINK = re.compile(r"(?:https?://|www\.)[^\s，。；、）)]+", CASE)
HANDLE = re.compile(r"(?<![\w.@])@[A-Za-z][\w.]*\w", re.ASCII)
ACCOUNT = re.compile(
    r"(?:(?:微信|WeChat|QQ|Skype|WhatsApp|Instagram|Snapchat|微博)\s*+(?:号码?|账号|ID|id|name|handle)?\s*+(?:是|为|is|[:：])?\s*+)([A-Za-z0-9][\w.-]{4,})", re.ASCII | CASE,
)
ID_ZH = re.compile(r"(?<!\d)\d{6}\s?(?:18|19|20)\d{2}\s?\d{4}\s?\d{3}\s?[\dXx](?!\d)|(?<!\d)\d{17}[\dXx](?!\d)")
SSN = re.compile(r"(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)")
NUMBERED = re.compile(
    r"(?:(?:[Pp]assport|NHS|[Mm]edicare|[Ii]nsurance|[Pp]atient|student|staff|employee|licen[cs]e|social security|national insurance|ID|MRN|hospital|chart|file|account|card)"
    r"(?: card)?\s*+(?:number|no\.?|num|#|ID)?\s*+(?:is|was|[:#(])?\s*+)((?=[A-Z0-9 -]{0,60}\d{3})[A-Z0-9]++(?:[ -]?[A-Z0-9]++)*+)", re.ASCII,
)
NUMBERED_ZH = re.compile(r"(?:身份证|护照|病历|住院|门诊|学|工|社保|医保|银行卡|卡|驾驶证|准考证|车牌)号?码?\s*+(?:是|为|[:：])?\s*+([A-Z]?[A-Z0-9-]{5,20})", re.ASCII | CASE)
PHONES = re.compile(
    r"(?<![\w.])(?:\+\d{1,3}[ .-]?(?:\(0\)[ .-]?)?\(?\d++(?:\)?[ .-]?\(?\d++){0,5}+"
    r"|(?:\+?86[ -]?)?1[3-9]\d[ -]?\d{4}[ -]?\d{4}|0\d{2,3}[ -]\d{7,8}|400[ -]?\d{3}[ -]?\d{4}"
    r"|\(?0\d{2,5}\)?[ -]?\d{3,4}[ -]?\d{3,4}|\(\d{3}\)\s?\d{3}[ .-]\d{4}|\d{3}[ .-]\d{3}[ .-]\d{4}|\d{3}-\d{4})(?![\d])"
)
PHONE_CUE = re.compile(r"(?:phone|tel|telephone|mobile|cell|call(?:ed)? (?:me|her|him)? ?(?:at|on)|电话|手机|号码)\D{0,12}(\d[\d -]{5,14}\d)", CASE)
MONTH = r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
DAY = r"\d{1,2}(?:st|nd|rd|th)?"
WRITTEN = rf"(?:{DAY}(?: of)? {MONTH},? (?:19|20)\d{{2}}|{MONTH} {DAY},? (?:19|20)\d{{2}})"
FIGURES = r"(?:\d{1,2}[/.-]\d{1,2}[/.-](?:19|20)?\d{2}|(?:19|20)\d{2}[/.-]\d{1,2}[/.-]\d{1,2})"
DATE_EN = re.compile(rf"\b(?:{WRITTEN}|{FIGURES})\b", CASE)
BIRTH_EN = re.compile(rf"(?:born|date of birth|d\.?o\.?b\.?|birthday|birth date)\W{{0,3}}(?:is |was |on |in |the )*({WRITTEN}|{FIGURES}|{DAY}(?: of)? {MONTH}|{MONTH} {DAY}|{MONTH} (?:19|20)\d\d|(?:19|20)\d\d)\b", CASE)
DATE_ZH = re.compile(r"(?:19|20)\d{2}\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?[日号]|(?<!\d)(?:19|20)\d{2}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)")
BIRTH_ZH = re.compile(r"((?:19|20)\d{2}\s?年(?:\s?\d{1,2}\s?月)?(?:\s?\d{1,2}\s?[日号])?)(?=\s?(?:出生|生(?![\u4e00-\u9fff])|生于))|(?:生于|出生于|出生日期|出生年月|生日)\s*(?:是|为|在|[:：])?\s*((?:19|20)\d{2}\s?(?:年|[-/.])\s?\d{1,2}(?:\s?(?:月|[-/.])\s?(?:\d{1,2}\s?[日号]?)?)?|(?:19|20)\d{2}\s?年|\d{1,2}\s?月\s?\d{1,2}\s?[日号]?)")
AGE_ZH = re.compile(r"(?:(?<=[男女][，,、 ])|(?<=今年)|(?<=现年)|(?<=年龄[:：])|(?<=年仅)|(?<=刚满))\s?(\d{1,2}|[一二三四五六七八九]?十[一二三四五六七八九]?)\s?(?:周岁|岁)|(?:9\d|1[01]\d)\s?岁")
AGE_EN = re.compile(r"(?<=[A-Za-z],\s)(\d{1,2})(?=,\s)|\baged?:? (\d{1,2})\b(?! ?(?:to|and|-))|\b(?:9\d|1[01]\d)(?= years? old)|(?:(?:[Ss]he|[Hh]e|I) (?:is|was|am) )(\d{1,2})(?= years old)")
ROOM = r"(?:\s?(?:\d{1,4}|[A-Z甲乙丙丁东西南北])\s?(?:号楼|栋|幢|座|单元|楼|层|室|号|户))"
ADDRESS_ZH = re.compile(
    rf"(?:[{HAN}]{{2,7}}?(?:省|自治区))?(?:[{HAN}]{{2,6}}?(?:市|州))?(?:[{HAN}]{{1,6}}?(?:区|县|镇|乡|街道))?"
    rf"(?:[{HAN}A-Za-z0-9]{{1,8}}?(?:路|街|巷|弄|大道|胡同|道)\s?\d{{1,5}}\s?[号弄](?:{ROOM})*|[{HAN}]{{2,8}}?(?:小区|花园|家园|公寓|新村|苑|里|城){ROOM}+)"
)
LEAD = re.compile(r"^(?:家住|现住|居住在|居住于|居住|住在|住址(?:是|为)?|地址(?:是|为)?|搬到了?|位于|她住|他住|我住|住|在|到|从|于|去)+")
STREET_EN = r"(?:{streets})"
POSTCODE = r"(?:[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]{2} \d{5}(?:-\d{4})?|\d{5})"


def hits(text: str, language: str) -> list[Hit]:
    """Numbers, addresses, dates and ages in a text as patterns read it."""
    found = [
        *plain(text, EMAIL, "email", "e-mail"), *plain(text, LINK, "account", "link"), *plain(text, HANDLE, "account", "handle"),
        *plain(text, ACCOUNT, "account", "account"), *chinese_ids(text), *plain(text, SSN, "id", "social security number"),
        *plain(text, NUMBERED, "id", "number"), *plain(text, NUMBERED_ZH, "id", "number"), *phones(text),
    ]  # fmt: skip
    if language == "zh":
        found += [*plain(text, DATE_ZH, "date", "date"), *plain(text, BIRTH_ZH, "date", "date of birth"), *plain(text, AGE_ZH, "age", "age"), *addresses_zh(text)]
    else:
        found += [*plain(text, DATE_EN, "date", "date"), *plain(text, BIRTH_EN, "date", "date of birth"), *plain(text, AGE_EN, "age", "age"), *plain(text, street_en(), "address", "street")]
    return found


def plain(text: str, pattern: re.Pattern[str], kind: str, why: str) -> list[Hit]:
    """A hit for each match: its group where it has one, else the whole."""
    found = []
    for match in pattern.finditer(text):
        group = match.lastindex or 0
        start, end = (match.start(), match.end()) if kind == "age" and text[match.end() - 1] == "岁" else match.span(group)
        if end > start:
            found.append(Hit(start, end, kind, why))
    return found


def chinese_ids(text: str) -> list[Hit]:
    return [
        Hit(m.start(), m.end(), "id", "identity number, checksum right" if checksum(m.group()) else "identity number")
        for m in ID_ZH.finditer(text)
    ]


def checksum(number: str) -> bool:
    """Whether a Chinese identity number's last sign fits (GB 11643); a wrong one is masked all the same."""
    signs = re.sub(r"\s", "", number).upper()
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    total = sum(int(sign) * weight for sign, weight in zip(signs, weights, strict=False))
    return len(signs) == 18 and "10X98765432"[total % 11] == signs[17]


def phones(text: str) -> list[Hit]:
    """What is written like a telephone number, and what the numbering plans of three countries know."""
    import phonenumbers

    found = [*plain(text, PHONES, "phone", "phone"), *plain(text, PHONE_CUE, "phone", "phone")]
    for region in ("GB", "US", "CN"):
        for match in phonenumbers.PhoneNumberMatcher(text, region):
            found.append(Hit(match.start, match.end, "phone", "phone"))
    return [hit for hit in found if sum(c.isdigit() for c in text[hit.start : hit.end]) >= 7]


def addresses_zh(text: str) -> list[Hit]:
    found = []
    for match in ADDRESS_ZH.finditer(text):
        lead = LEAD.match(match.group())
        found.append(Hit(match.start() + (lead.end() if lead else 0), match.end(), "address", "address"))
    return found


def street_en() -> re.Pattern[str]:
    streets = "|".join(sorted(words("en")["streets"], key=len, reverse=True))
    return re.compile(
        rf"(?:(?:Flat|Apartment|Apt\.?|Unit|Suite|Room) \w{{1,5}},? )?\b\d{{1,5}}[A-Za-z]?,? (?:[A-Z][\w'-]+\.? ){{1,4}}(?i:{streets})\b\.?"
        rf"(?:,? (?:Flat|Apartment|Apt\.?|Unit|Suite) \w{{1,5}})?(?:, [A-Z][a-z'-]+(?: [A-Z][a-z'-]+)*)?(?:,? {POSTCODE}\b)?|\b[A-Z]{{1,2}}\d[A-Z\d]? \d[A-Z]{{2}}\b"
    )
