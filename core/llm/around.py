"""Words around the JSON object of a judge's reply: which are harmless, and which may change what it says.

After the object only a closed list of courtesies is harmless, since a reply can be taken back in more ways than a list
of words can name. Before it stands reasoning too; that may not refuse, call the object an example, or give another
number or verdict. Where in doubt the reply is unreadable, and asked for once more. Pure, in linear time.
"""

import re
import unicodedata
from collections.abc import Mapping
from typing import Literal

MAY_CHANGE = "words around the object that may change it"
Says = str | Mapping[str, float | None]  # a verdict (A | B | tie), or ratings by item

# Each piece between stops and commas must be made of these words, or be one of these phrases, whole. None of them
# holds a number, a verdict or a negation.
LEADING_WORDS = """
sure certainly absolutely okay ok alright understood great thanks thank you yes then therefore so accordingly here
here's is are below following my your the an this that these requested final overall complete full whole valid
structured pairwise corrected single careful detailed strict blind for of in as on from based after reading
reviewing considering having read reviewed considered carefully closely i have provide provided give return
rating ratings score scores assessment assessments evaluation evaluations judgment judgement judgments verdict
comparison answer answers response reply result results output object json analysis item items session sessions
counseling counselling transcript transcripts instrument scale alliance evidence asked conclusion conclude to
"""
LEADING_SIGNS = """
好的 好 当然 没问题 可以 明白 收到 谢谢 感谢 了 以下 下面 如下 这两段 两段 这两次 两次 两场 这 就 是 为 我 您 你 的 本 该 对 次 场 段 所 要求 最终 完整 评分 打分 评定 评估 评价 判断 比较 结论 回答 答案 回复 输出
作答 分析 结果 对象 内容 根据 基于 综合 以上 上述 咨询 会谈 会话 对话 文本 记录 逐字稿 证据 按照 按 依照 说明 指示 json格式 json
"""
BEFORE = (
    "of course|got it|thank you (?:so|very) much|sure thing",
    rf"(?:(?:{'|'.join(LEADING_WORDS.split())})(?: |$))+",
    rf"(?:{'|'.join(LEADING_SIGNS.split())})+",
)
AFTER = (
    r"(?:i )?(?:really )?hope (?:this|that|it) (?:helps?|is helpful|is useful)(?: you)?",
    r"(?:please )?(?:let me know|feel free to (?:ask|reach out)|just ask|ask)(?: (?:if|when|whenever|should) (?:you|there)(?:['’]d| would| is| are)?(?: (?:have|need|like|want|to))*(?: (?:any|anything|something|further|more|other|else|additional|a|me|me to))*(?: (?:help|questions?|information|details?|clarifications?|assistance|explanations?|explain|elaborate|expand|rate another (?:item|session)))?(?: (?:else|further|more|on this|about this))?)?",
    r"if you (?:have|need)(?: (?:any|anything|further|more|other|else|additional))+(?: (?:help|questions?|information|details?|assistance))?",
    r"thanks?|thank you(?: (?:very|so) much)?|you['’]?re welcome|you are welcome|happy to help|glad to help|best regards|done",
    r"(?:this|that) (?:is|was|completes|concludes)(?: (?:my|the|your|requested|final|complete|full))*(?: (?:rating|assessment|evaluation|answer|comparison|reply|response|analysis))",
    r"end of(?: (?:my|the))?(?: (?:rating|assessment|evaluation|answer|json|response|reply|output|comparison|analysis))",
    r"希望(?:以上|这个?|这些|我的)?(?:内容|回答|评分|评估|结果|分析)?(?:能够?|可以)?(?:对(?:您|你))?(?:有所?|有些?)?(?:帮助|帮到您|帮到你)",
    r"(?:如果?|若|如有|如需)(?:您|你)?(?:还)?(?:有|需要?)?(?:任何|其他|其它|更多|进一步)*(?:的)?(?:问题|疑问|需要|需求|帮助|信息|说明|解释|协助)?(?:请随时(?:告诉我|告知|联系我?|提问|提出))?",
    r"(?:请|欢迎|可以)?(?:您|你)?(?:随时|继续|再)?(?:告诉我|告知我?|联系我?|提问|问我|提出)",
    r"谢谢(?:您|你)?|感谢(?:您|你)?的?(?:阅读|信任|理解|使用)?|祝好|完毕|完成",
    r"(?:以上|这)(?:就)?(?:是|为)(?:我的?|本次|全部|最终|完整)*的?(?:评分|评估|评定|评价|判断|回答|比较|结果|输出)(?:结果)?",
    r"(?:评分|评估|评定|评价|输出|回答)(?:结束|完毕|完成)",
)  # fmt: skip
HARMLESS_BEFORE = re.compile("|".join(f"(?:{one})" for one in BEFORE))
HARMLESS_AFTER = re.compile("|".join(f"(?:{one})" for one in AFTER))
PIECES = re.compile(r"[.!?。！？…:：;；,，、\n—–]+")
LONGEST_PIECE = 120  # characters: no courtesy is longer
WRAPPING = re.compile(r"```[ \t]?\w{0,10}|</[\w:-]{2,30}>|^<[\w:-]{2,30}>", re.M)
EDGES = " \t\r\n*_#>`~|=\"'“”‘’()（）[]【】{}「」-<"

SENTENCES = re.compile(r"[.!?。！？](?!\d)|[\n;；]")
QUOTED = re.compile(r"“[^”\n]{1,400}”|「[^」\n]{1,400}」|\"[^\"\n]{1,400}\"|(?<!\w)'[^'\n]{1,400}'(?!\w)")
NEGATED = re.compile(
    r"\b(?:not|no|never|cannot|neither|nor|without|hardly|[a-z]{2,6}n['’]t|cant|wont|dont)\b|[不没无未非勿]"
)
MINE = re.compile(
    r"\b(?:i|me|my|we|our|ai|model|assistant)\b|\b(?:rat(?:e|es|ed|ing|ings|able)|scor\w{1,5}|verdicts?|judg\w{1,8}|answers?|comparisons?|json|objects?)\b"
    r"|我|本人|评分|打分|评定|分数|结论|作答|回答|评判|得分|评估|评价"
)
REFUSED = re.compile(
    r"\b(?:refrain\w{0,3}|declin(?:e|ing)|refus(?:e|ing)|unable|impossible|inappropriate|unethical|sorry|apologi[sz]e\w?|uncomfortable|abstain\w{0,3}"
    r"|disregard|ignore (?:this|the|that)|withdraw|retract|strike (?:that|this)|insufficient|rather (?:just )?(?:leave|skip|pass)|too short to)\b"
    r"|抱歉|对不起|拒绝|恕|忽略|作废|撤回|收回|婉拒"
)
EXAMPLE = re.compile(
    r"\b(?:format|example|template|placeholder|sample|illustrat(?:e|ion|ive)\w{0,3}|hypothetical\w{0,2}|draft|dummy|mock|schema|demo|demonstration|fictional|pretend|random\w{0,2}|invented|made[- ]up|filler|fake|wrong|incorrect|arbitrary|parser"
    r"|would (?:be|look)|could (?:be|look)|might (?:be|look)|may look|if i (?:had|were|was|could|must))\b|格式|示例|示范|例子|样例|模板|范例|占位|草稿|假设|假如|样式|错误|随便|虚构|编造|随机|凑数"
)
FOR_EXAMPLE = re.compile(
    r"\b(?:for example|for instance|e\.g\.)[,:]? (?=\w)|(?:例如|比如|举例来说)[，,：]?(?=\w)"
)
IN_FORMAT = re.compile(
    r"\b(?:in|as|into) (?:the |a )?(?:valid |requested |required |json |following )*(?:format|schema)\b|json ?格式"
)
# Numbers that count something else than a rating.
REFERENCES = re.compile(
    r"\b(?:turns?|items?|questions?|steps?|sessions?|lines?|messages?|utterances?|quotes?|points?|no\.|number|page|client|counselor|phase|stage|part|q) ?#?\d{1,4}"
    r"(?:(?: ?[,–-] ?| and | to | or )\d{1,4}){0,9}"
    r"|\b(?:out of|of|from) ?\d{1,3}(?:\.\d)?(?: ?(?:to|-|–|through) ?\d{1,3})?(?: scale)?|[/⁄] ?\d{1,3}|\d{1,3} ?(?:-|–|to) ?\d{1,3}[ -](?:point )?(?:scale|rating|range)"
    r"|\d{1,3}[ -]?(?:point|level)s?[ -](?:likert |rating )?scale|\b\d{1,4}(?:[ -](?:to|or) ?\d{1,4})?[ -](?:times?|years?|months?|weeks?|days?|hours?|minutes?|turns?|quotes?|clients?|sessions?|people|passages?|items?|sentences?|questions?|words?|moments?|occasions?|reasons?|levels)\b"
    r"|^ {0,4}[(（]?\d{1,2}[.)、）](?=\s|\D)|第 ?\d{1,4}(?:[、,，和到至-]第? ?\d{1,4}){0,9} ?(?:轮|句|题|项|次|条|段|个|步|点|回合|话轮)"
    r"|满分 ?(?:为|是)? ?\d{1,3} ?分?|\d{1,3} ?[-–~到至—] ?\d{1,3} ?(?:分|的?量表|级|点)(?:制|量表)?|\d{1,3} ?(?:点|级|分)(?:制|量表)|\d{1,4} ?(?:次|轮|年|个?月|周|天|小时|分钟|岁|句|处|段|个|条|名|位)",
    re.M,
)
NUMBER = re.compile(r"(?<![A-Za-z0-9_.])\d{1,3}(?:\.\d{1,3})?(?![A-Za-z0-9_])")
ENGLISH_NUMERALS = "zero one two three four five six seven eight nine ten"
ENGLISH = {word: float(n) for n, word in enumerate(ENGLISH_NUMERALS.split())}
CHINESE = {digit: float(n) for n, digit in enumerate("零一二三四五六七八九十")} | {"两": 2.0}
IN_WORDS = re.compile(
    r"\b(?:rat(?:e|ed|ing|es)|scor(?:e|ed|es)|give|gave|giving|level|choose|assign(?:ed)?|answer|final|make|value|should be|ought to be)\b[^.\d]{0,20}?\b(zero|one|two|three|four|five|six|seven|eight|nine|ten)\b"
    r"|\b(two|three|four|five|six|seven|eight|nine|ten) (?:stars|points|out of)\b"
    r"|(?:([零一二两三四五六七八九])|(?<=[评打给为是])(十)) ?分(?![钟别析享散明为成之开裂手])|(?:评分|得分|打分|分数)[为是:： ]{0,3}([零一二两三四五六七八九十])"
)  # fmt: skip

BEATEN = re.compile(
    r"\b(?:than|over|compared (?:with|to)|against|versus|vs\.?|beats|outperforms)(?: (?:session|counselor|option|the))* [AB]\b"
    r"|(?:比|相比于?|较之?|优于|胜过|好于|强于)\s?(?:咨询|会谈|咨询师)?[AB甲乙]|(?:与|和|跟)\s?[AB甲乙]\s?相比",
    re.I,
)
BETTER = re.compile(
    r"\b(?:better|best|wins?|winner|won|stronger|strongest|prefer\w{0,4}|superior|verdict|choose|chose|chosen|choice|choosing|pick\w{0,3}|select\w{0,3}|answer|final|conclusion|conclude|decision"
    r"|ahead|favou?r\w{0,4}|goes to|go with|beats|outperforms|edge|overall|lean\w{0,3}|deserves?)\b|>|更好|更优|更佳|较好|较优|优于|胜|赢|选择?|结论|判断|答案|好于|强于|最终|总之|→"
)
WORSE = re.compile(r"\b(?:worse|worst|weaker|inferior|loses|lost|poorer)\b|不如|更差|较差|逊于|逊色|输")
LETTER = re.compile(
    r"(?:(?<=session )|(?<=counselor )|(?<=option )|(?<=transcript )|(?<=verdict )|(?<=[:：是选为] )|(?<=[:：是选为→]))([AB甲乙])(?![\w])|(?<![\w'])([B甲乙])(?![A-Za-z'’](?!s\b))"
    r"|(?<![\w'])(A)(?=\s{0,3}(?:$|[,.)!?>:：，。、）\u4e00-\u9fff*]|['’]s|(?:is|was|wins?|won|has|had|does|did|shows?|seems?|feels?|performs?|comes?|goes|then|instead|over|overall|and|more|by|beats|outperforms)\b))",
    re.M,
)
# Sessions named by their place.
FIRST = re.compile(
    r"\bthe (?:first|former)(?: one| session| counselor)?(?= (?:is|was|wins|won|does|has)\b|[.,!]|\s*$)|\b(?:session|counselor) (?:1|one)\b|前者|第[一1](?:段|个|次|场|位)",
    re.I | re.M,
)
SECOND = re.compile(
    r"\bthe (?:second|latter)(?: one| session| counselor)?(?= (?:is|was|wins|won|does|has)\b|[.,!]|\s*$)|\b(?:session|counselor) (?:2|two)\b|后者|第[二2](?:段|个|次|场|位)",
    re.I | re.M,
)
TIED = re.compile(
    r"\b(?:a tie|tie|tied|a draw|equal|equally (?:good|strong|matched))\b|不相上下|旗鼓相当|两者相当|一样好|平局|平手|打平|不分(?:高下|上下)|难分(?:高下|上下)",
    re.I,
)
LETTERS: dict[str, Literal["A", "B"]] = {"A": "A", "B": "B", "甲": "A", "乙": "B"}
LABELLED = re.compile(r"[:：→,，=]")


def may_change(before: str, after: str, says: Says) -> bool:
    """Whether the words around an object may change what it says."""
    if not harmless(after, HARMLESS_AFTER):
        return True
    if harmless(before, HARMLESS_BEFORE):
        return False
    plain = unicodedata.normalize("NFKC", before)
    return takes_back(plain) or (
        other_verdict(plain, says) if isinstance(says, str) else other_number(plain, says)
    )


def harmless(words: str, known: "re.Pattern[str]") -> bool:
    """Whether all of the words are courtesies of a closed list."""
    plain = WRAPPING.sub("\n", unicodedata.normalize("NFKC", words)).casefold()
    pieces = (IN_FORMAT.sub("", piece).strip(EDGES) for piece in PIECES.split(plain.replace("’", "'")))
    return all(
        len(piece) <= LONGEST_PIECE and known.fullmatch(" ".join(piece.split())) for piece in pieces if piece
    )


def takes_back(before: str) -> bool:
    """Whether words before an object refuse, or call it an example; what is quoted is the session's."""
    plain = IN_FORMAT.sub("", FOR_EXAMPLE.sub("", QUOTED.sub(" ", before).casefold()))
    leading = plain.rstrip().rpartition("\n")[2]
    if leading.endswith((":", "：")) and NEGATED.search(leading):
        return True
    return any(
        REFUSED.search(one) or EXAMPLE.search(one) or (NEGATED.search(one) and MINE.search(one))
        for one in SENTENCES.split(plain)
    )


def other_number(before: str, ratings: Mapping[str, float | None]) -> bool:
    """Whether words before an object give a number that is none of its ratings, or is another item's."""
    plain = QUOTED.sub(" ", before).casefold()
    for item, rating in ratings.items():
        named = re.escape(item.casefold())
        if not item.isascii() or item.isdigit() or not item:
            continue
        for found in re.finditer(rf"(?<!\w){named}(?!\w)[^\d\n]{{0,20}}(\d{{1,3}}(?:\.\d)?)(?![\w%])", plain):
            if float(found[1]) != rating:
                return True
    rest = REFERENCES.sub(" ", plain)
    numbers = {float(found[0]) for found in NUMBER.finditer(rest)}
    for found in IN_WORDS.finditer(rest):
        word = next(one for one in found.groups() if one)
        numbers.add(ENGLISH.get(word, CHINESE.get(word, 0.0)))
    return bool(numbers - {one for one in ratings.values() if one is not None})


def other_verdict(before: str, verdict: str) -> bool:
    """Whether a sentence before an object gives another verdict than it, or the last one speaks of the other alone."""
    plain = SECOND.sub(" 乙 ", FIRST.sub(" 甲 ", QUOTED.sub(" ", before)))
    sentences = [one for one in SENTENCES.split(plain) if not harmless(one, HARMLESS_BEFORE)]
    if any(verdict_in(one) not in ("", verdict) for one in sentences):
        return True
    named = (
        {LETTERS[letter] for found in LETTER.finditer(sentences[-1]) for letter in found.groups() if letter}
        if sentences
        else set()
    )
    return bool(named) and verdict not in named and not verdict_in(sentences[-1])


def verdict_in(sentence: str) -> Literal["A", "B", "tie", ""]:
    """The verdict one sentence gives; empty if none. The first of two sessions named is the better, or the worse."""
    if TIED.search(sentence):
        return "tie"
    low = sentence.casefold()
    alone = LABELLED.split(sentence)[-1].strip(EDGES)
    if alone.upper() in LETTERS:
        return LETTERS[alone.upper()]
    worse = WORSE.search(low)
    found = LETTER.search(BEATEN.sub(" ", sentence))
    if not found or not (worse or BETTER.search(low)):
        return ""
    letter = LETTERS[next(one for one in found.groups() if one)]
    return letter if not worse else "A" if letter == "B" else "B"
