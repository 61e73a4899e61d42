"""The unigram tokenizer cuts a text in the likeliest way; with the real vocabulary: tests/models_live."""

from itertools import product

import pytest
from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import Unigram as LibraryUnigram

from attention.models import E5
from attention.models.unigram import Unigram
from tests.models.e5_tiny import NORMAL_FORMS, PIECES, TinyFile

TEXTS = (
    "苹果", "苹果。", " 苹果", "苹 果", "苹  果", "苹\u3000果", "Ａb", "abab", "abc", "a b", "½", "x", "xyz苹zz", "  ",
    " ", "", "苹果苹果ab。", "\x01", "a\x01b", "a \x01 b", "😀😀", "￼", "ＡＡ", "a" * 40,
)  # fmt: skip


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Unigram:
    path = tmp_path_factory.mktemp("e5") / "tiny.bin"
    path.write_bytes(TinyFile().write())
    tokenizer = E5.load(path).tokenizer
    assert isinstance(tokenizer, Unigram)
    return tokenizer


@pytest.fixture(scope="module")
def library() -> Tokenizer:
    """The `tokenizers` library with the same vocabulary."""
    pieces = [(piece, score if score else -1e9) for piece, score in PIECES.items()]  # marks match no text
    inner = Tokenizer(LibraryUnigram([*pieces[:3], ("<unk>", 0.0), *pieces[4:]], unk_id=3))
    steps = [normalizers.Replace(character, form) for character, form in NORMAL_FORMS.items()]
    steps.append(normalizers.Replace("  ", " "))
    inner.normalizer = normalizers.Sequence(steps)
    inner.pre_tokenizer = pre_tokenizers.Metaspace()
    inner.decoder = decoders.Metaspace()
    inner.post_processor = processors.BertProcessing(("</s>", 2), ("<s>", 0))
    return inner


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_cut_as_the_library_cuts_it(text: str, ours: Unigram, library: Tokenizer) -> None:
    assert ours.encode(text) == library.encode(text).ids


@pytest.mark.parametrize("text", ["▁苹果。", "▁ab▁abab", "苹苹果果", "▁a?bc"])
def test_no_other_way_to_cut_has_a_higher_sum(text: str, ours: Unigram) -> None:
    def total(cuts: tuple[bool, ...]) -> float:
        parts, begin = [], 0
        for at, cut in enumerate((*cuts, True), 1):
            if cut:
                parts.append(text[begin:at])
                begin = at
        known = {piece: score for piece, score in PIECES.items() if score < 0}
        worst = min(PIECES.values()) - 10
        return sum(known.get(part, worst if len(part) == 1 else -float("inf")) for part in parts)

    best = max(map(total, product((False, True), repeat=len(text) - 1)))
    chosen = sum(ours.scores[i] if i != ours.unknown else min(PIECES.values()) - 10 for i in ours.likeliest(text))
    assert chosen == pytest.approx(best, abs=1e-5)


def test_text_is_text_and_no_mark(ours: Unigram) -> None:
    ids = ours.encode("<s>a<mask>")
    assert (ids[0], ids[-1]) == (0, 2)
    assert not {0, 1, 2, 14} & set(ids[1:-1])


def test_ids_become_text_again(ours: Unigram) -> None:
    assert ours.decode(ours.encode("苹果  Ａb。")) == "苹果 ab。"
    assert ours.decode([]) == ""
    assert [ours.show(token) for token in (0, 4, 5, 8)] == ["'<s>'", "' '", "'苹果'", "' a'"]


@pytest.mark.parametrize("token", [-1, len(PIECES)])
def test_an_id_of_no_piece_is_named(token: int, ours: Unigram) -> None:
    with pytest.raises(ValueError, match=f"id {token} is not in the vocabulary of {len(PIECES)} pieces"):
        ours.decode([0, token])


def test_what_is_no_text_and_what_is_no_list_is_refused(ours: Unigram) -> None:
    with pytest.raises(TypeError, match="text is 5; it must be a str"):
        ours.encode(5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="half of a pair"):
        ours.encode("\ud800")
    with pytest.raises(ValueError, match=r"ids has shape \(1, 1\); it must be \(n,\)"):
        ours.decode([[5]])  # type: ignore[list-item]


def test_a_long_text_takes_time_in_proportion(ours: Unigram) -> None:
    assert len(ours.encode("苹果" * 5000)) == 5003


def test_the_vocabulary_of_the_tests_is_read_as_it_was_written(ours: Unigram) -> None:
    assert dict(zip(ours.pieces, ours.scores, strict=True)) == PIECES
    assert ours.normal_forms == {ord(character): form for character, form in NORMAL_FORMS.items()}
