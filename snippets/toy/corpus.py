"""The sentences the toy learns from: templates in two languages, every slot filled in every way."""

import re
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

SLOTS = {
    "谁": "我|你|他|她|妈妈|老师",
    "何时": "今天|昨天|早上|晚上",
    "水果": "苹果|橙子|桃子|梨",
    "公司": "苹果|微软|谷歌|索尼",
    "处置": "买|吃|洗",
    "味": "甜|脆|好吃",
    "机": "手机|电脑",
    "性": "快|薄|好用",
    "往来": "参观|加入|离开",
    "势": "大|有名|热闹",
    "涨跌": "涨|跌",
    "心意": "帮助|礼物|来信",
    "爱物": "音乐|茶|书",
    "who": "i|you|he|she|mom|we",
    "day": "today|yesterday",
    "fruit": "apple|orange|banana|pear",
    "a fruit": "an apple|an orange|a banana|a pear",
    "firm": "apple|google|microsoft|sony",
    "took": "bought|ate|washed",
    "taste": "sweet|crisp|ripe",
    "drink": "sweet|fresh|good",
    "device": "phone|laptop",
    "trait": "fast|thin|cheap",
    "moved": "rose|fell",
    "gift": "help|gift|letter",
    "art": "music|tea|song",
}
TEMPLATES = {
    "水果": (
        "{谁} {何时} {处置} 了 一个 {水果} 。",
        "{谁} {何时} {处置} 了 一个 {水果} ， 它 {味} 极了 。",
        "{谁} {何时} {处置} 了 {水果} ， 它 {味} 极了 。",
        "{水果} {谁} {何时} {处置} 了 一个 ， 它 {味} 极了 。",
        "{谁} 喜欢 吃 {水果} ， 它 {味} 极了 。",
        "这个 {水果} 真 {味} 。",
    ),
    "公司": (
        "{公司} {何时} 发布 了 一款 新 {机} 。",
        "{公司} {何时} 发布 了 一款 新 {机} ， 它 {性} 极了 。",
        "{谁} {何时} {往来} 了 {公司} ， 它 {势} 极了 。",
        "{谁} {何时} 在 {公司} 公司 上班 。",
        "{谁} 喜欢 {公司} 的 新 {机} ， 它 {性} 极了 。",
        "{公司} 的 股票 {何时} {涨跌} 了 。",
    ),
    "fruit": (
        "{who} {took} {a fruit} {day} .",
        "{who} {took} {a fruit} {day} , it was {taste} .",
        "the {fruit} on the table was {taste} .",
        "{who} wanted to eat {a fruit} .",
        "{fruit} juice was {drink} {day} .",
    ),
    "firm": (
        "{firm} released a new {device} {day} .",
        "{firm} released a new {device} {day} , it was {trait} .",
        "{who} worked at {firm} {day} .",
        "{who} wanted a new {device} from {firm} .",
        "{firm} stock {moved} {day} .",
    ),
    "感谢": (
        "非常 感谢 你 的 {心意} 。",
        "{谁} 非常 感谢 老师 的 {心意} 。",
        "{谁} 非常 喜欢 {爱物} 。",
        "谢谢 你 。",
    ),
    "thanks": (
        "thank you very much .",
        "thank you very much for the {gift} .",
        "thank you so much for the {gift} .",
        "{who} loved the {art} very much .",
        "the {art} was very good {day} .",
    ),
}  # fmt: skip
HELD_OUT = 10  # of the sentences of a template that gives at least so many, one in ten is kept from training


class Corpus(NamedTuple):
    """Sentences as tuples of words. Those for training stand by family and template, those for validation in a row."""

    training: dict[str, list[list[tuple[str, ...]]]]
    validation: list[tuple[str, ...]]

    @property
    def counts(self) -> dict[str, int]:
        """How many sentences, all of them different, and how many templates."""
        training = [sentence for family in self.training.values() for made in family for sentence in made]
        counts = {"training": len(training), "validation": len(self.validation)}
        return counts | {"templates": sum(len(family) for family in self.training.values())}


def filled(template: str) -> Iterator[tuple[str, ...]]:
    """Fill the slots of a template in every way.

    >>> [" ".join(words) for words in filled("{firm} stock rose .")][:2]
    ['apple stock rose .', 'google stock rose .']
    """
    slots = re.findall(r"\{([^}]+)\}", template)
    for choice in product(*(SLOTS[slot].split("|") for slot in slots)):
        yield tuple(template.format_map(dict(zip(slots, choice, strict=True))).split())


def build(seed: int = 0) -> Corpus:
    """Return every sentence, in training or in validation and never in both."""
    random = np.random.default_rng(seed)
    training: dict[str, list[list[tuple[str, ...]]]] = {}
    validation: list[tuple[str, ...]] = []
    for family, templates in TEMPLATES.items():
        for template in templates:
            made = list(filled(template))
            made = [made[i] for i in random.permutation(len(made))]
            held = len(made) // HELD_OUT
            validation += made[:held]
            training.setdefault(family, []).append(made[held:])
    return Corpus(training, validation)


def vocabulary(corpus: Corpus) -> list[str]:
    """Return every word of the sentences, in a fixed order."""
    made = (sentence for family in corpus.training.values() for template in family for sentence in template)
    return sorted({word for sentence in (*made, *corpus.validation) for word in sentence})
