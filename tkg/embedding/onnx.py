"""A sentence encoder as an ONNX file in a folder that the user names (extra `onnx`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from tkg.embedding.common import MOST_CHARACTERS, digest_of, model_file, package, unit
from tkg.errors import RequestError
from tkg.index.port import Vectors

_EXTRA: Final = "tkg[onnx]"
#: tokens of a text that are read, and texts of one run
_TOKENS: Final = 256
_BATCH: Final = 16


class OnnxEmbedder:
    """Means of an encoder's token vectors.

    Args:
        folder: holds `model.onnx` (or `onnx/model.onnx`) and `tokenizer.json`. The model takes `input_ids`,
            `attention_mask` and, if it wants, `token_type_ids`; its first output is a vector per token, or per text.
        threads: threads of one run; 0 leaves it to the runtime.

    Raises:
        Unsupported: a package of the extra `onnx` is missing.
        RequestError: the folder holds no such model.
    """

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        runtime, tokenizers = package("onnxruntime", _EXTRA), package("tokenizers", _EXTRA)
        model, words = model_file(folder, "model.onnx", "onnx/model.onnx"), model_file(folder, "tokenizer.json")
        try:
            options = runtime.SessionOptions()
            options.intra_op_num_threads = threads
            options.log_severity_level = 3
            self._session: Any = runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
            self._tokens: Any = tokenizers.Tokenizer.from_file(str(words))
        except Exception as error:  # noqa: BLE001 - the readers raise types of their own
            raise RequestError(f"the model in {folder} cannot be read ({type(error).__name__})") from None
        self._wanted = {one.name for one in self._session.get_inputs()}
        self._tokens.enable_truncation(_TOKENS)
        self._tokens.enable_padding()
        self._dimension = int(self._session.get_outputs()[0].shape[-1])
        self._model_id = f"onnx-{self._dimension}-{digest_of((model, words))}"

    @property
    def model_id(self) -> str:
        """Name of the model, with a digest of its files."""
        return self._model_id

    @property
    def dimension(self) -> int:
        """Numbers per vector."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per text, of length one."""
        found = np.zeros((len(texts), self._dimension), dtype=np.float32)
        # texts of like length together: padding costs as much as words
        places = sorted(range(len(texts)), key=lambda place: (len(texts[place]), place))
        for start in range(0, len(places), _BATCH):
            some = places[start : start + _BATCH]
            found[some] = self._run([texts[place][:MOST_CHARACTERS] for place in some])
        return unit(found)

    def _run(self, texts: list[str]) -> Vectors:
        encoded = self._tokens.encode_batch(texts)
        ids = np.array([one.ids for one in encoded], dtype=np.int64)
        mask = np.array([one.attention_mask for one in encoded], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        out = self._session.run(None, {name: value for name, value in given.items() if name in self._wanted})[0]
        if out.ndim == 3:
            weights = mask[:, :, None]
            out = (out * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)
        result: Vectors = out.astype(np.float32)
        return result
