"""Names of people and institutions in Chinese. Pure; jieba only tells where words begin and end."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from core.reports.masking_hits import Hit, words

HAN = "\u4e00-\u9fff"
LONGEST_CLAUSE = 400  # signs without punctuation: more is no writing, and guessing new words in it takes very long
ENDLESS = re.compile(rf"([{HAN}]{{{LONGEST_CLAUSE},}})")
MOST_TOKENS = 40  # words looked at before the kind of an institution
SAYS = re.compile("说|告诉|问|觉得")


@cache
def data() -> dict[str, Any]:
    told = words("zh")
    return told | {
        "not": frozenset(told["not_names"]), "function": frozenset(told["functions"]), "generic_set": frozenset(told["generic"]),
        "surname": rf"(?:{'|'.join(told['double_surnames'])}|[{told['surnames']}])",
        "titled": "|".join(sorted(told["titles"], key=len, reverse=True)),
        "related": "|".join(sorted(told["relations"], key=len, reverse=True)),
    }  # fmt: skip


def tokens(text: str) -> list[tuple[str, str, int]]:
    """(word, part of speech, offset)."""
    import logging

    import jieba
    import jieba.posseg

    jieba.setLogLevel(logging.WARNING)
    found, at = [], 0
    for part in ENDLESS.split(text):
        for token in jieba.posseg.cut(part, HMM=len(part) < LONGEST_CLAUSE or not ENDLESS.fullmatch(part)):
            found.append((token.word, token.flag, at))
            at += len(token.word)
    return found


def hits(text: str) -> list[Hit]:
    cut = tokens(text)
    return [
        *cued(text), *introduced(text), *titled(text, cut), *tagged(text, cut), *small(text, cut), *doubled(text, cut), *institutions(text, cut),
    ]  # fmt: skip


def is_name(text: str) -> bool:
    """Whether a surname with what follows can be a name: no word of its own, no function word in it."""
    if text in data()["not"] or text[:2] in data()["not"] or any(word in text for word in ("来访", "咨询", "求助", "自己")):
        return False
    given = text[2:] if text[:2] in data()["double_surnames"] else text[1:]
    return bool(given) and not any(sign in data()["function"] for sign in given) and given not in ("某", "某某")


def name_hit(start: int, name: str, why: str, client: bool = False) -> Hit:
    return Hit(start, start + len(name), "name", why, name, client)


def cued(text: str) -> Iterator[Hit]:
    """A name after a word that announces one: 丈夫陈磊, 来访者林晓雯, 我叫…"""
    pattern = re.compile(rf"(?P<cue>{data()['related']})(?:是|叫|名叫|为|[:：])?\s?[“\"]?(?P<name>{data()['surname']}[{HAN}]{{1,2}})")
    for match in pattern.finditer(text):
        if name := clipped(text, match.start("name"), match["name"]):
            yield name_hit(match.start("name"), name, "name after a word that announces one", match["cue"] in ("来访者", "求助者", "当事人", "患者", "案主", "姓名", "我叫"))


def clipped(text: str, start: int, name: str) -> str:
    """The name in its likely length: two signs where the third begins another word; empty when it is none."""
    cut = {at: word for word, _, at in tokens(text[max(0, start - 4) : start + len(name) + 6])}
    here = start - max(0, start - 4)
    longest = name if is_name(name) else ""
    for size in (3, 2):
        short = name[:size]
        end_of_word = here + size in cut or here + size >= len(text[max(0, start - 4) : start + len(name) + 6])
        if len(short) == size and is_name(short) and end_of_word:
            return short
    return longest


def introduced(text: str) -> Iterator[Hit]:
    """A name at the start of a clause before sex or age: 林晓雯，女，17岁."""
    pattern = re.compile(rf"(?:^|[，。；：:\n\s（(])(?P<name>{data()['surname']}[{HAN}]{{1,2}})(?=（化名）|[，,、\s（(]\s?(?:[男女](?![{HAN}])|\d{{1,2}}岁|[一二三四五六七八九]?十[一二三四五六七八九]?岁))", re.MULTILINE)
    for match in pattern.finditer(text):
        if is_name(match["name"]):
            yield name_hit(match.start("name"), match["name"], "name before sex or age", client=True)


def titled(text: str, cut: list[tuple[str, str, int]]) -> Iterator[Hit]:
    """A surname with a title: 王医生, 李女士, 张总."""
    begins = {at for _, _, at in cut}
    for match in re.finditer(rf"(?P<name>{data()['surname']}[{HAN}]{{0,2}}?)(?:{data()['titled']})", text):
        start, name = match.start(), match["name"]
        if match.group()[:2] in data()["not"] or match.group() in data()["not"] or any(s in data()["function"] for s in name[1:]) or "某" in name:
            continue
        unsafe = name[0] in data()["unsafe_surnames"] and start > 0 and re.match(f"[{HAN}]", text[start - 1])
        if start in begins and not unsafe and not (len(match.group()) == 2 and match.group()[-1] in "总哥姐" and start + 2 not in begins):
            yield name_hit(start, match.group(), "surname with a title")


def tagged(text: str, cut: list[tuple[str, str, int]]) -> Iterator[Hit]:
    """What the tagger takes for a person's name and what looks like one."""
    for match in re.finditer(rf"(?:{'|'.join(n for n in data()['double_surnames'] if n != '东方')})[{HAN}]{{1,2}}", text):
        if name := clipped(text, match.start(), match.group()):
            yield name_hit(match.start(), name, "name")
    speaks = {text[found.start() - size : found.start()] for found in SAYS.finditer(text) for size in range(2, 6)}
    for word, flag, at in cut:
        likely = re.fullmatch(rf"{data()['surname']}[{HAN}]{{1,2}}", word)
        if flag in ("nr", "nrfg") and likely and is_name(word) and word[0] not in data()["unsafe_surnames"]:
            yield name_hit(at, word, "name")
            continue
        if flag == "nrt" and 2 <= len(word) <= 5 and word not in data()["not"] and word in speaks:
            yield name_hit(at, word, "name")


def small(text: str, cut: list[tuple[str, str, int]]) -> Iterator[Hit]:
    """小王, 老李, 阿珍."""
    begins = {at for _, _, at in cut} | {len(text)}
    for match in re.finditer(rf"[小老阿大][{data()['small']}](?![{data()['small']}]?(?:女孩|男孩|时候))", text):
        word = match.group()
        if word in data()["not"] or match.start() not in begins or match.end() not in begins or word in ("老王八", "大雪", "大雨", "大红", "大明", "大强", "小红帽", "老伟"):
            continue
        if word[0] == "大" and word[1] not in "伟强军勇鹏刚":
            continue
        yield name_hit(match.start(), word, "familiar name")


def doubled(text: str, cut: list[tuple[str, str, int]]) -> Iterator[Hit]:
    """婷婷; not an adverb before 地 or 的."""
    for match in re.finditer(rf"([{data()['doubled']}])\1(?!地)", text):
        if text[match.end() : match.end() + 1] == "的" and match.group(1) in ADJECTIVES:
            continue
        yield name_hit(match.start(), match.group(), "doubled name")


def institutions(text: str, cut: list[tuple[str, str, int]]) -> Iterator[Hit]:
    """Named hospitals, schools, companies: words before the kind that make it one of its own; 某大学 is none."""
    kinds = sorted(data()["organisations"], key=len, reverse=True)
    numbered = "[一二三四五六七八九十]{1,2}中(?![学心间的有国等])"
    suffix = numbered + "|" + "|".join(f"{kind}(?!学)" if kind.endswith("中") else kind for kind in kinds)
    offsets = [at for _, _, at in cut]
    for match in re.finditer(suffix, text):
        before = cut[max(0, bisect_left(offsets, match.end()) - MOST_TOKENS) : bisect_left(offsets, match.end())]
        start = named_from(text, before, match.start(), match.end())
        if start is not None:
            yield Hit(start, match.end(), "organisation", "institution", text[start : match.end()])
    for name in data()["known_organisations"]:
        for match in re.finditer(re.escape(name), text):
            yield Hit(match.start(), match.end(), "organisation", "institution", name)


def named_from(text: str, cut: list[tuple[str, str, int]], kind_at: int, end: int) -> int | None:
    """Where the name of an institution begins, or ``None`` where nothing before its kind names it.

    ``cut`` are the words up to its end; names are short, so a few are enough.
    """
    start, own, city = kind_at, False, False
    for word, flag, at in reversed(cut):
        if at >= kind_at:
            continue
        part = word[: kind_at - at] if at + len(word) > kind_at else word
        if at + len(word) > kind_at and part and part not in data()["generic_set"]:
            start, own = at, True  # the tagger knows the whole: 华西医院
            continue
        if at + len(word) > kind_at:
            start = at
            continue
        if start - at > 10 or any(sign in word for sign in "于在读毕往去到从是给") or not re.fullmatch(f"[{HAN}A-Za-z0-9]+", word):
            break
        if re.fullmatch(r"[一两几这那某每哪有][家所个间些]?", word):
            break
        ordinal = re.fullmatch(r"第?[一二三四五六七八九十百\d]+", word) is not None
        if word in data()["generic_set"] or (ordinal and word.startswith("第")):
            own = own or (ordinal and word.startswith("第"))
            if word in ("某", "该", "本", "同", "一", "两", "几", "个", "家", "所", "附近", "当地", "常去"):
                break
            start, city = at, word in ("市", "县", "区", "镇", "省")
        elif city and word not in COMMON and flag[0] not in "puvrc":
            start, own, city = at, True, False
        elif (flag[0] in "nj" and flag not in ("n", "nr")) or flag in ("nr", "nz", "ns", "x", "eng", "b", "s") or (
            flag == "n" and len(word) <= 3 and word not in COMMON and not own
        ):
            start, own = at, True
        else:
            break
    return start if own and end - start <= 18 else None


ADJECTIVES = frozenset("强浩乐豆朵欢冰晨甜红艳秀兰翠静晴娇阳")
COMMON = frozenset(["班主任", "老师", "同学", "妈妈", "爸爸", "父亲", "母亲", "丈夫", "妻子", "女儿", "儿子", "孩子", "家", "家里", "单位", "朋友", "医生", "父母", "学生", "来访者", "求助者", "咨询师", "时候", "时间", "情况", "男友", "女友", "家人", "爷爷", "奶奶", "亲戚", "领导", "同事", "老板", "客户", "原因", "之前", "后来"])


def forms(found: Iterable[tuple[str, Hit]]) -> dict[str, Hit]:
    """All forms to look for elsewhere: the whole name, the given name of three signs, joined to one entity."""
    known: dict[str, Hit] = {}
    names = [(said, hit) for said, hit in found]
    for said, hit in names:
        known.setdefault(said, hit)
    for said, hit in names:
        if hit.kind == "name" and re.fullmatch(rf"{data()['surname']}[{HAN}]{{2}}", said) and not re.search(f"(?:{data()['titled']})$", said):
            given = said[1:]
            if given not in data()["not"]:
                known[given] = Hit(0, 0, "name", "given name", hit.entity, hit.client)
    return known
