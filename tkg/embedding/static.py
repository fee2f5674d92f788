"""Static vectors: the mean of a vector per token. Fast, offline, without a runtime; meaning of words, not of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from tkg.embedding.common import MOST_CHARACTERS, digest_of, model_file, package, unit
from tkg.errors import RequestError, Unsupported
from tkg.index.port import Vectors

_EXTRA = "tkg[embed]"


class StaticEmbedder:
    """Means of token vectors.

    Args:
        folder: a model in the form of model2vec: `tokenizer.json` and `model.safetensors` with one matrix of a row per
            token. None: the model that lies in the package wordllama (256 dimensions), of which only the files are read.

    Raises:
        Unsupported: a package of the extra `embed` is missing.
        RequestError: the folder holds no such model.
    """

    def __init__(self, folder: Path | None = None) -> None:
        tokenizers, tensors = package("tokenizers", _EXTRA), package("safetensors.numpy", _EXTRA)
        weights, words = _bundled() if folder is None else (
            model_file(folder, "model.safetensors"),
            model_file(folder, "tokenizer.json"),
        )  # fmt: skip
        try:
            held = tensors.load_file(weights)
            self._tokens = tokenizers.Tokenizer.from_file(str(words))
        except Exception as error:  # noqa: BLE001 - the readers raise types of their own
            raise RequestError(f"the model in {weights.parent} cannot be read ({type(error).__name__})") from None
        matrices = [one for one in held.values() if one.ndim == 2]
        if len(matrices) != 1 or len(matrices[0]) < self._tokens.get_vocab_size():
            raise RequestError(f"{weights} is not one matrix with a row for each token of {words.name}")
        self._rows = matrices[0].astype(np.float32)
        self._tokens.no_padding()
        self._tokens.no_truncation()
        self._model_id = f"static-{self._rows.shape[1]}-{digest_of((weights, words))}"

    @property
    def model_id(self) -> str:
        """Name of the model, with a digest of its files."""
        return self._model_id

    @property
    def dimension(self) -> int:
        """Numbers per vector."""
        return int(self._rows.shape[1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per text, of length one."""
        found = np.zeros((len(texts), self.dimension), dtype=np.float32)
        cut = [one[:MOST_CHARACTERS] for one in texts]
        for place, encoded in enumerate(self._tokens.encode_batch(cut, add_special_tokens=False)):
            if encoded.ids:
                found[place] = self._rows[encoded.ids].mean(axis=0)
        return unit(found)


def _bundled() -> tuple[Path, Path]:
    spec = find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise Unsupported(f"wordllama is not installed; install it with: pip install '{_EXTRA}'")
    # the package itself is not imported: its loader asks a hub for files that it has
    home = Path(spec.origin).parent
    return (
        model_file(home, "weights/l2_supercat_256.safetensors"),
        model_file(home, "tokenizers/l2_supercat_tokenizer_config.json"),
    )
