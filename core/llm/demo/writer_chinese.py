"""Chinese report sentences as they can be said: by the client, to the client, or as the counselor's next step.

Works clause by clause, since one sentence often tells what both did: “我请她打分，她打了3分”. ``None`` where a pronoun could
mean somebody else, or where the words are the profession's.
"""

import re
from collections.abc import Sequence

from core.llm.demo.bank import pattern
from core.llm.demo.first_person import to_first_zh
from core.llm.demo.perspective import to_second_zh
from core.llm.demo.text import QUOTED, length, quotes
from core.llm.demo.writer_names import WIDE

CUES, STEPS = "writer_cues", "writer_steps"
LONGEST = 44
LEAD = re.compile(
    r"^(?:(?:在|到)?(?:第[一二三四五六七八九十\d]+(?:[至、—–-][一二三四五六七八九十\d]+)*(?:、[一二三四五六七八九十\d]+)*次?(?:咨询|会谈|面谈|周|阶段)?(?:（[^）]{1,10}）)?(?:中|时|里|后|起)?|首次(?:咨询|会谈)(?:中|时)?|接下来|随后|然后|之后|接着|最后(?:一次(?:咨询|会谈)(?:中)?)?|于是)[，,：:]?)+"
)
CLIENT = r"(?:来访者|求助者|当事人|该生|她|他)"
FRAME = re.compile(rf"^{CLIENT}?(?:还|也)?(?:自述|主诉|表示|反映|诉说|告诉我|自称|带来好消息|说道?)[，,：:]?(?=.)")
SAID = re.compile(rf"^(?:{CLIENT})?(?:(?:[想看听沉默]{{1,2}}了[^，,]{{0,4}}|松了一口气|红了眼眶|愣住了?)[，,])?(?:[\u4e00-\u9fff]{{0,3}}地)?(?:流着泪|哭着|笑着|小声|低声)?(?:说道?|回答说?|表示|告诉我|描述)(?:[，,：:])?(?P<rest>[^“”「」]+)$")
COMMA = re.compile(r"[，,；;]")
COUNSELOR = re.compile(r"^(?:(?:随后|接着|然后|同时|再次|又)?)(?:我们|我和来访者|咨询师和来访者|我|咨询师)")
CLIENT_STARTS = re.compile(rf"^(?:但|可是|不过|于是|后来|起初|一开始|当时|现在|如今|渐渐地?)?{CLIENT}(?!们)")
PEOPLE = re.compile(r"^(?:来访者的?)?(?:母亲|父亲|妈妈|爸爸|父母|丈夫|妻子|老师|班主任|同学|朋友|好友|孩子|女儿|儿子|婆婆|领导|同事|家人)")
BARE_KIN = re.compile(r"(?<![您的你我对向给跟])(母亲|父亲|妈妈|爸爸|父母|丈夫|妻子|女儿|儿子|婆婆)")
DONE = re.compile(r"(?<=[\u4e00-\u9fff])了(?![解不得\u7136])")
STOP = "。！？…!?."


def in_first_person(text: str, gender: str) -> str | None:
    """A sentence about the client as the client says it: ``她三点就醒`` becomes ``我三点就醒``."""
    bare = LEAD.sub("", text.strip())
    bare = FRAME.sub("", bare)
    if not bare or any(length(quote) > 12 for quote in quotes(bare)) or re.search("[你您]", bare):
        return None
    if pattern("zh", CUES, "unspoken").search(re.sub(CLIENT, "", bare)):
        return None
    bare, other = _apart(bare, gender)
    own = {"she": "她", "he": "他"}.get(gender, "")
    bare = re.sub(f"^{own}(?!们)", "来访者", bare) if own else bare
    if own and bare.startswith("来访者"):  # the subject's own object would be 自己: this 他 is somebody else
        bare = re.sub(rf"(，(?:一次也|从来|也|还|再|第一次|不敢|没有|不再|不想)[^，]*[^，自]){own}(?=，|。|$)", rf"\1{OTHER_OWN}", bare)
    said = to_first_zh(_only(bare))
    if said is None or length(said) > LONGEST or (own and re.search(f"{own}(?!们)", said)):
        said = _clauses_first(bare)
    if said is None or (own and re.search(f"{own}(?!们)", said)):
        return None
    spoken = _spoken(said) if said else None
    return spoken.replace(OTHER, other).replace(OTHER_OWN, own) if spoken else None


OTHER, OTHER_OWN = "〇", "◯"
PRONOUNS = {"she": "他", "he": "她"}


def _apart(text: str, gender: str) -> tuple[str, str]:
    """Another person's pronoun, told from the client's by gender, set aside."""
    other = PRONOUNS.get(gender, "")
    return (re.sub(f"{other}(?!们)", OTHER, text), other) if other else (text, "")


def _only(text: str) -> str:
    """A kin word directly before a pronoun that must be the client's ("母亲常对她说") does not make it unclear."""
    if re.match(r"^(?:来访者的?)?(?:母亲|父亲|妈妈|爸爸|父母|丈夫|妻子|老师)[^，]{0,4}(?:对|跟|向)[她他]说", text):
        return re.sub(r"[她他](?!们)", "来访者", text)
    return re.sub(r"(对|向|给|让|叫|责备|骂|陪|把|被|跟|和|催|逼|怪)[她他](?!们)", r"\1来访者", text)


ANYBODY = re.compile(r"一[位名个](?!星期|月|人住)")


def _clauses_first(text: str) -> str | None:
    """The clauses from the front that can be said, as far as they are plain."""
    kept: list[str] = []
    for clause in COMMA.split(text.rstrip(STOP)):
        unclear = kept and re.search(".[她他](?!们)", clause) and ANYBODY.search("".join(kept))
        said = None if unclear else to_first_zh(_only(clause))
        if said is None or length("，".join([*kept, said])) > LONGEST:
            break
        kept.append(said)
    return "，".join(kept) if kept and length("".join(kept)) >= 5 else None


def _spoken(said: str) -> str | None:
    """A subject where the report leaves it out, and a stop at the end."""
    said = said.translate(WIDE).strip("，；： ").rstrip(STOP)
    said = re.sub(r"^(?:女|男)(?:性)?[，,]", "", said)
    said = re.sub(r"，我(?=[^，]{0,20}，我)", "，", said)
    if re.search(r"[她他]", said) and "我" not in said:
        return None
    brought = re.match(r"^我?(?:的)?(母亲|父亲|妈妈|爸爸|父母|丈夫|妻子|朋友|老师|班主任)(?:陪同|陪伴|陪)(?:我)?(?:前来|来)", said)
    if brought:
        return f"是{brought.group(1)}陪我来的。"
    introduced = re.match(r"^我?由(.{2,6}?)(介绍|陪同|转介)(?:前来|来)", said)
    if introduced:
        return f"是{introduced.group(1)}{introduced.group(2)}我来的。"
    said = re.sub(r"^(?:夫妻)?(?:他们|她们)|(?:夫妻)?(?:两人|二人)", "我们俩", said)
    said = re.sub(r"^(原来)?自己(?!一个人)", lambda found: (found.group(1) or "") + "我", said) if "我" not in said[:6] else said
    said = TIMED_KIN.sub(r"\1我\2", said)
    if not re.search("我", said[:14]) and not re.match(r"从|每|自从|那次|有时|一到|[\u4e00-\u9fff\d]{1,6}(?:前|后|时|来|里|中)，", said):
        said = "我" + said
    said = re.sub(r"^我(?:的)?(成绩|睡眠|情绪|工作|学习|身体|体重|食欲|心情|注意力|记忆力)(?!低落|不好|很差|兴趣)", r"我的\1", said)
    for old, new in (("本人", "我"), ("自己自己", "自己"), ("我我", "我"), ("与", "和")):
        said = said.replace(old, new)
    return said + "。" if length(said) >= 4 else None


TIMED_KIN = re.compile(
    r"^((?:[\u4e00-\u9fff]{1,6}(?:前|后|时|以来)|最近|近来|后来|上个?月|去年|今年|现在|从小)?[，,]?)(母亲|父亲|妈妈|爸爸|父母|丈夫|妻子|女友|男友|婆婆|儿子|女儿|班主任|老公|老婆|外婆|外公|奶奶|爷爷)(?!的?我)"
)


def in_second_person(text: str, gender: str) -> str | None:
    """The same sentence as the counselor says it to the client, without its stop."""
    said = in_first_person(text, gender)
    swapped = to_second_zh(said) if said else None
    return swapped.translate(WIDE).rstrip(STOP) if swapped else None


# ---- who a client is ---------------------------------------------------------------------------------------------

AGE = re.compile(r"(\d{1,2}|[一二三四五六七八九]?十[几多]|几)岁")
WORK = re.compile(r"(?:^|，)([^，。]{0,14}?(?:学生|教师|老师|职员|工程师|护士|医生|程序员|经理|会计|工人|司机|公务员|员工|主妇|设计师|销售|研究生|大[一二三四]|高[一二三]|初[一二三]|自由职业者|退休))(?=[，。]|$)")


def basics(texts: Sequence[str], gender: str) -> list[str]:
    """Who the client is, in their own voice: age and occupation, then how they live."""
    said: list[str] = []
    for text in texts:
        age, work = AGE.search(text), WORK.search(text)
        if age is None or re.search(r"岁(?:时|那年|起|的时候)", text):
            spoken = in_first_person(text, gender)
            said += [spoken] if spoken else []
            continue
        parts = [f"我今年{age.group(1)}岁"]
        if work:
            parts.append("是" + re.sub(r"^.*?(?:是|为|系|任)?(?:一[名位个])|^(?:来访者|现)?(?:是|为|系|任)|\d{1,2}岁的?", "", work.group(1)))
        parts += [clause for clause in COMMA.split(text.rstrip(STOP)) if re.match(r"(?:现)?(?:与|和|独自|已婚|未婚|离异|单身|一个人)", clause)]
        said.append("，".join(parts).replace("与", "和") + "。")
    return said


# ---- the process -------------------------------------------------------------------------------------------------


SHOWN = re.compile(r"哭了|流泪|流下|沉默|低下头|点头|摇头|笑了|声音很小|多次流泪|看了很久$|想了很久$|低着头|抬头|半信半疑|只回答|泣不成声|苦笑|带来了|讲述了|说话很[快慢]|坐在靠|红了眼眶|眼睛亮|愣住")


def events(text: str, gender: str) -> list[tuple[str, str]]:
    """Who says what when a sentence of the process is played: ``[(seat, text)]``."""
    found: list[tuple[str, str]] = []
    for seat, clauses in acted(text):
        if seat == "client" and SHOWN.search(clauses[0]) and not re.search("我|但|说", "".join(clauses[1:])):
            found.append(("moved" if re.search("哭|流泪|沉默", clauses[0]) else "seen", ""))
            continue
        said = proposal(clauses, gender) if seat == "counselor" else reply(clauses, gender) if seat == "client" else None
        if said:
            found.append((seat, said))
    return found


def acted(text: str) -> list[tuple[str, list[str]]]:
    """The clauses of a sentence, grouped by who acts in them; a clause without a subject goes on with the last."""
    bare = LEAD.sub("", text.strip()).rstrip(STOP)
    groups: list[tuple[str, list[str]]] = []
    for clause in _clauses(bare):
        seat = _actor(clause) or (groups[-1][0] if groups else _first_actor(bare))
        if groups and groups[-1][0] == "counselor" and ASKS.search(groups[-1][1][0]):
            seat = "counselor"  # "我问她，如果……，她会……" is all asked
        if seat == "client" and groups and groups[-1][0] == "other" and OTHERS_SAY.search(groups[-1][1][-1]):
            seat = "other"  # "母亲说，她只是怕……" is still the mother
        if seat == "other" and groups and groups[-1][0] == "client":
            seat = "client"  # what the client tells of others
        if groups and groups[-1][0] == seat and not (seat == "counselor" and COUNSELOR.match(clause)):
            groups[-1][1].append(clause)
        else:
            groups.append((seat, [clause]))
    return groups


def _first_actor(text: str) -> str:
    """In notes without subjects the counselor is the one whose steps are told."""
    steps = pattern("zh", STEPS, "verbs")
    told = any(steps.match(_bare_step(clause)) for clause in _clauses(text))
    return "counselor" if told and not CLIENT_STARTS.match(text) else ""


ASKS = re.compile(rf"^(?:我|咨询师)(?:问|询问)了?{CLIENT}$")
OTHERS_SAY = re.compile(r"(?:说|道|表示|觉得|认为|承认|坦言|回答|告诉.{1,3})$")


def _clauses(text: str) -> list[str]:
    """Clauses; what stands between quotation marks is not cut."""
    kept: list[str] = []
    for part in COMMA.split(text):
        if kept and kept[-1].count("“") > kept[-1].count("”"):
            kept[-1] += "，" + part
        elif part.strip():
            kept.append(part.strip())
    return kept


def _actor(clause: str) -> str:
    if COUNSELOR.match(clause):
        return "counselor"
    if CLIENT_STARTS.match(clause):
        return "client"
    if PEOPLE.match(clause):
        return "other"
    return "client" if re.match(rf"[\u4e00-\u9fff\d]{{1,6}}(?:后|时|前|中|里)[，]?{CLIENT}(?!们)", clause) else ""


def proposal(clauses: Sequence[str], gender: str = "") -> str | None:
    """What the counselor did, as the next step: ``我请她写日记`` becomes ``我想请您写日记。``"""
    first = re.sub(r"^(?:随后|接着|然后|同时|再次|又)?(?:咨询师和来访者|我和来访者)", "我们", clauses[0])
    first = re.sub(r"^(?:随后|接着|然后|同时|再次|又)?咨询师", "我", first)
    asked = re.match(r"^我(?:问|询问)(?:了)?(?:她|他|来访者)(?P<what>.{4,})$", first)
    if ASKS.match(first) and len(clauses) > 1:
        return _to_you("，".join(clauses[1:]), gender) + "？"
    if asked and len(clauses) == 1 and "“" not in first:
        return _to_you(asked.group("what"), gender) + "？"
    if not pattern("zh", STEPS, "verbs").match(_bare_step(first)) and len(clauses) > 1:
        return proposal(clauses[1:], gender)
    together = re.match("(?:并且?)?我?[和与](?:来访者|她|他)", first) is not None or first.startswith(("我们", "和来访者一起", "与来访者一起", "和她一起", "与她一起", "和他一起", "与他一起")) or (not first.startswith("我") and TOGETHER.match(first) is not None)
    rest = _bare_step(first)
    if not pattern("zh", STEPS, "verbs").match(rest):
        return None
    said = "，".join([rest, *(clause for clause in clauses[1:] if not SHOWN.search(clause))])
    if FOR_OTHERS.search(said) or (gender and re.search(FOR_OTHERS.pattern.rsplit("(?:", 1)[0] + PRONOUN[gender], said)):
        return None
    said = _to_you(DONE.sub("", said), gender)
    if length(said) > LONGEST or (QUOTED.search(said) and length(said) > 30):
        return None
    return ("我们一起来" if together else "我想") + said.replace("布置您", "请您").replace("布置作业，请", "请").replace("谈到", "谈谈") + "。"


FOR_OTHERS = re.compile(r"(?:请|邀请|让|问)(?:来访者的?)?(?:母亲|父亲|妈妈|爸爸|父母|丈夫|妻子).*(?:女儿|儿子|孩子)")
PRONOUN = {"she": "她", "he": "他", "they": "们"}


def _bare_step(clause: str) -> str:
    """A clause from its verb on: without the counselor and "together"."""
    return re.sub(r"^(?:并且?|然后|接着)?(?:我们?)?(?:还|也|又)?(?:[和与](?:来访者|她|他))?(?:一起|共同)?(?:首先|先|再|又)?(?:进行了?(?=角色))?", "", clause)


TOGETHER = re.compile(r"商定|约定|确定|制定|讨论|探讨|寻找|梳理|回顾|列出|整理|分析|检验|练习|学习|尝试")


def _to_you(text: str, gender: str = "") -> str:
    text, other = _apart(text, gender)
    text = re.sub(r"(?:来访者|求助者|她|他|其(?=到|去|在|做|写|说))(?!们)", "您", text).replace(OTHER, other)
    text = re.sub(r"(?:夫妻)?(?:两人|二人)|他们|她们", "你们", text)
    return BARE_KIN.sub(r"您\1", text).replace("您的您", "您的").replace("您自己的您", "您自己的")


def reply(clauses: Sequence[str], gender: str = "") -> str | None:
    """What the report tells of the client, as the client says it."""
    whole = TOLD_OF.sub("", "，".join(clauses)).replace("，说要", "，要")
    framed = SAID.match(whole)
    said = in_first_person(framed.group("rest") if framed else THOUGHT.sub("", whole), gender)
    if framed and said and said.startswith("我") and not re.search("我|自己|她|他|来访者", framed.group("rest")[:6]):
        return said[1:]  # what was said is told as it was, without a subject put before it
    return said


TOLD_OF = re.compile(rf"^(?:{CLIENT})?(?:主动)?(?:(?:谈到|提到)[^，]{{1,10}}，(?:说|承认|坦言|表示)|(?:谈到|提到|说起)(?=.*(?:时|那年|小时候|曾)))")
THOUGHT = re.compile(rf"^(?:{CLIENT})?[想看听]了[^，,]{{0,4}}[，,]")


def as_review(text: str, gender: str) -> str | None:
    """A step looked back on: ``我们商定了目标``; short ones only, without a stop."""
    for seat, clauses in acted(text):
        if seat == "counselor" and proposal(clauses, gender):
            said = _to_you(re.sub(r"^(?:随后|接着|然后)?我们?(?:一起|共同)?", "", clauses[0]), gender)
            if said and 4 <= length(said) <= 16 and not QUOTED.search(said) and "：" not in said and clauses[0].startswith("我们"):
                return said
    return None


