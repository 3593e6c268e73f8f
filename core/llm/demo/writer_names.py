"""Names, places and contacts leave a sentence before anything is written from it.

The client's name becomes "the client" (来访者); a relative keeps only the relation; a place or employer goes with its
preposition; a sentence that holds contacts is not used at all.
"""

import re
from dataclasses import dataclass

from core.llm.demo.bank import pattern, wordset

CUES = "writer_cues"
TWO = re.compile(
    r"^\W*(?:The couple,? )?(?:(?:Mr|Mrs|Ms|Dr)\.? )?(?:Client [A-Z]|[A-Z][\w'’-]+|\[[^\]]+\])(?: \((?:\d+|in the \w+)\))? and (?:her husband |his wife |her partner |his partner )?(?:(?:Mr|Mrs|Ms|Dr)\.? )?(?:[A-Z][\w'’-]+|\[[^\]]+\])"
)
PLACEHOLDER = re.compile(r"\[[^\]\n]{1,40}\]|【[^】\n]{1,30}】|〔[^〕\n]{1,30}〕|\{\{?[^}\n]{1,40}\}\}?|<[A-Z][A-Z_ 0-9]{1,30}>|\bPerson [A-Z]\d*\b|人物[甲乙丙丁戊己庚辛壬癸]\d*")
MASKED = re.compile(r"\b(?:(?:Mr|Ms|Mrs|Miss|Dr)\.? )?(?:[Tt]he client,? (?:(?:Mr|Ms|Mrs|Miss|Dr)\.? )?)?Client [A-Z]\d*\b")
ZH_MASKED = re.compile(r"来访者[甲乙丙丁戊己庚辛壬癸]\d*")
OTHER = re.compile(r"Person |人物")  # masked names of people who are not the client
PERSON = re.compile(r"人物|name|person|client|patient|姓名|人名|来访者|名字", re.IGNORECASE)
FULL_NAME = re.compile(
    r"^\W*(?:The client,? |Client:? )?(?:(?:Ms|Mr|Mrs|Miss|Dr)\.? )?((?!The |Female|Male|Woman|Man\b|Client|Patient|She |He |They |A |An |This |In |At |On |I |My |We |When |For |Since |After )(?:[A-Z][\w'’-]+(?: [A-Z][\w'’-]*\.?){0,2}|[A-Z]\.(?: ?[A-Z]\.)?)),?"
    r" (?=\(|\d|aged|is an?\b|an? \d|was |came |has |had )"
)
ZH_NAME = re.compile(r"(?:^|来访者|求助者|姓名[：:]?)\W*((?!来访者|求助者)[\u4e00-\u9fff]{2,4})(?:（化名）|\(化名\))?[，,、 ]+(?=男|女|\d{1,2}岁)")
CAPITALS = r"[A-Z][\w'’&-]*(?: (?:[A-Z][\w'’&-]*|of|and|the)(?= [A-Z])| [A-Z][\w'’&-]*)*"
PLACE = re.compile(rf"(?:,? (?:at|in|from|to|near|of|for|with|by) (?:the )?)({CAPITALS})(?=[\s,.;:)]|$)")
ORGANISED = re.compile(r"\b(?:School|University|College|Hospital|Clinic|Company|Ltd|Inc|Bank|Hotel|Street|Road|Centre|Center|Academy|Church|Club)\b")
CONTACT = re.compile(r"[\w.+-]+@[\w-]+\.\w{2,}|https?://|www\.|\+?\d(?:[ ().-]{0,2}\d){6,}|\b\d{17}[\dXx]\b")
TITLED = re.compile(r"\b(?:Ms|Mr|Mrs|Miss|Dr|Prof)\.? (?=the client\b)", re.IGNORECASE)
WIDE = str.maketrans({",": "，", ";": "；", ":": "：", "!": "！", "?": "？", "(": "（", ")": "）"})
SURNAMES = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"
ZH_INSTITUTION = re.compile(r"(?:在|于)?[\u4e00-\u9fff]{2,12}?(大学|中学|小学|学院|公司|医院|集团)(?=[\u4e00-\u9fff，。]|$)")


@dataclass(frozen=True)
class Names:
    """What the client is called in the report: the whole name and its parts."""

    client: tuple[str, ...] = ()
    placeholder: str = ""
    couple: bool = False  # or the mark of the client stands for somebody near them

    @staticmethod
    def of(text: str, language: str) -> "Names":
        start = text[:600].strip()
        if TWO.search(start):
            return Names(couple=True)  # a couple: nobody alone is the client, names stay with nobody
        mark = next((found.group() for found in PLACEHOLDER.finditer(start) if PERSON.search(found.group()) and not OTHER.match(found.group())), "")
        found = (ZH_NAME if language == "zh" else FULL_NAME).search(start)
        if found is None:
            return Names((), mark)
        name = found.group(1).strip()
        parts = [name, name[1:]] if language == "zh" and len(name) > 2 else [name, *name.split()]
        return Names(tuple(dict.fromkeys(part for part in parts if len(part) > 1 and part not in ("Ms.", "Mr.", "Mrs.", "Dr."))), mark)


NEAR = re.compile(r"\b(?:friend|brother|sister|mother|father|son|daughter|husband|wife|partner|colleague|boss|teacher|neighbou?r|roommate)s?,? Client [A-Z]\b")


def clean(text: str, names: Names, language: str) -> str:
    """A sentence without names and contacts; empty when it is about contacts or nothing can be saved."""
    text = _clean_chinese(text, names) if language == "zh" else _clean_english(text, names)
    return "" if PLACEHOLDER.search(text) or CONTACT.search(text) else text.strip()


def _clean_english(text: str, names: Names) -> str:
    if CONTACT.search(text) or pattern("en", CUES, "contact").search(text.lower()):
        return ""
    text = re.sub(r"\b[Mm]y client\b", lambda found: found.group().replace("my", "the").replace("My", "The"), text)
    text = MASKED.sub("zperson" if names.couple else "the client", text)
    relation = "|".join(sorted(wordset("en", "feelings", "people"), key=len, reverse=True))
    for name in names.client:
        text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", "the client", text)
    text = PLACEHOLDER.sub(lambda found: _person(found.group(), names), text)
    text = re.sub(r"((?:\w+,? )?\b(?:" + relation + r")),? zperson,?", r"\1", text)
    text = re.sub(rf"\b((?i:her|his|their|my|the) (?:{relation})),? (?!I\b)(?:[A-Z][a-z]+)(?: [A-Z][a-z]+)?(?=[ ,.;'’])", r"\1", text)
    text = re.sub(r",? (?:at|in|from|to|near|of|for|with|by) (?:the )?zthing(?:(?:,| and| to| in| at) (?:the )?zthing)*", "", text)
    text = text.replace("zperson", "someone")
    if "zthing" in text:
        return ""
    text = PLACE.sub(lambda found: found.group() if _kept(found.group(1)) or (" the " in found.group() and not ORGANISED.search(found.group())) else "", text)
    text = TITLED.sub("", text)
    text = re.sub(r"\b(the client)(?:,? the client)+,(?= (?:is|was|has|works|lives|came)\b)", r"\1", text, flags=re.IGNORECASE)
    text = re.sub(r"\b(the client)(?:,? the client)+\b", r"\1", text, flags=re.IGNORECASE)
    return text[:1].upper() + text[1:]


def _person(mark: str, names: Names) -> str:
    if not PERSON.search(mark):
        return "zthing"
    return "the client" if mark == names.placeholder else "zperson"


def _kept(run: str) -> bool:
    """Capitalised words that name no place or person: months, weekdays, scales, abbreviations, feasts."""
    known = wordset("en", CUES, "capitals")
    return all(word.lower().strip("'’s") in known or word.lower() in known or word.isupper() for word in run.split())


def _clean_chinese(text: str, names: Names) -> str:
    text = ZH_MASKED.sub("来访者", text)
    kept = [clause for clause in re.split(r"(?<=[，,；;])", text) if not _zh_contact(clause)]
    text = "".join(kept).rstrip("，,；; ")
    for name in names.client:
        text = text.replace(name, "来访者")
    text = re.sub(r"[（(]化名[）)]|(?<=[，是为])某(?=[\u4e00-\u9fff]{0,6}(?:银行|公司|学校|医院|单位|大学|中学|企业|机关))", "", text)
    kin = "|".join(sorted(wordset("zh", CUES, "kin"), key=len, reverse=True))
    text = PLACEHOLDER.sub(lambda found: _zh_person(found.group(), names), text)
    text = re.sub(rf"({kin})[{SURNAMES}](?!母|父)[\u4e00-\u9fff]{{1,2}}(?=[，,。在是因从和对常把被]|$)", r"\1", text)
    text = re.sub(rf"({kin})※", r"\1", text).replace("※", "来访者")
    text = re.sub(r"◇(?=高|初|大[一二三四]|学生|职员|员工|教师|的)", "", text)
    text = re.sub(r"(?:在|于)?◇(?:市|省|县|区)?", lambda found: "" if found.group()[0] != "◇" else "单位", text)
    return ZH_INSTITUTION.sub(lambda found: found.group(1) if _zh_named(found.group()) else found.group(), text)


def _zh_named(run: str) -> bool:
    """Whether an institution carries a name, not only a number of words before it ("一家公司", "考上大学")."""
    return re.search(r"市|省|县|第[一二三四五六七八九十\d]+|[\u4e00-\u9fff]{2,}(?:附属|有限|科技|实验)", run) is not None


def _zh_contact(clause: str) -> bool:
    return bool(CONTACT.search(clause) or pattern("zh", CUES, "contact").search(clause.lower()))


def _zh_person(mark: str, names: Names) -> str:
    if not PERSON.search(mark):
        return "◇"
    return "来访者" if mark == names.placeholder else "※"
