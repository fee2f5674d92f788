"""Configuration files into candidates: one per scalar leaf, with its exact characters and line.

YAML, JSON, TOML, INI and .env. A YAML file is composed, never constructed: no tags are executed, no types are guessed, and every scalar keeps its place in
the text. JSON is read as the YAML it nearly always is; tabs between tokens, which JSON allows, are looked through.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath
from typing import Final

import yaml

from tkg.errors import InvalidText, TooLarge
from tkg.extractors.contract import Limits, check_size, checked
from tkg.extractors.leaves import Leaf, env_leaves, ini_leaves, toml_leaves
from tkg.model.document import Document, Extracted

_HUMAN: Final = re.compile(r"[_\-\s]+")
_LINES: Final = {"toml": toml_leaves, "ini": ini_leaves, "env": env_leaves}
_NULLS: Final = frozenset({"", "~", "null"})


@dataclass(frozen=True, slots=True)
class Rule:
    """Names what the leaves at a path are about.

    Attributes:
        path: keys joined by dots, `*` for any one key, such as `tenants.*.cutoff`.
        subject: the subject; `{1}`, `{2}` … stand for the keys that the stars met.
        predicate: the predicate; None keeps the leaf's key.
    """

    path: str
    subject: str
    predicate: str | None = None

    def matches(self, keys: Sequence[str]) -> list[str] | None:
        """Return the keys that the stars met, or None when the path is another one."""
        parts = self.path.split(".")
        if len(parts) != len(keys):
            return None
        met = []
        for part, key in zip(parts, keys, strict=True):
            if part == "*":
                met.append(key)
            elif part != key:
                return None
        return met

    def named(self, met: Sequence[str]) -> str:
        """Return the subject with its stars filled in."""
        return re.sub(r"\{(\d+)\}", lambda m: met[int(m[1]) - 1] if 0 < int(m[1]) <= len(met) else m[0], self.subject)


def _compose(text: str) -> list[yaml.Node]:
    # JSON allows tabs where YAML does not; a space of the same width keeps all offsets
    visible = re.sub(r"(?m)^[\t ]+|(?<=[:,\[{])\t+", lambda m: m.group().replace("\t", " "), text)
    try:
        return [node for node in yaml.compose_all(visible, Loader=yaml.SafeLoader) if node is not None]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise InvalidText(f"the file is not readable YAML or JSON{where}: {error.problem or error.context}") from None
    except (yaml.YAMLError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InvalidText(f"the file is not readable YAML or JSON: {reason}") from None
    except RecursionError:
        raise TooLarge("the file is nested too deeply to be read; flatten it") from None


def _joined(text: str) -> str | None:
    """Join the surrogate pairs that JSON escapes write; None for text with a lone one, which no store may hold."""
    try:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        return None


class _Walk:
    """Walks composed nodes in order, within the limits; an alias is followed each time, and counted each time."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._left = limits.nodes

    def leaves(
        self, node: yaml.Node, keys: tuple[str, ...] = (), above: frozenset[int] = frozenset()
    ) -> Iterator[Leaf]:
        self._left -= 1
        if self._left < 0:
            raise TooLarge(f"the file has more than {self._limits.nodes} nodes, aliases counted at each use; split it")
        if len(keys) > self._limits.depth:
            raise TooLarge(f"the file is nested more than {self._limits.depth} levels deep; flatten it")
        if id(node) in above:
            raise InvalidText(f"an alias at line {node.start_mark.line + 1} refers to what it stands in; remove it")
        within = above | {id(node)}
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                name = _joined(str(key.value)) if isinstance(key, yaml.ScalarNode) else None
                if name is not None:
                    yield from self.leaves(value, (*keys, name), within)
        elif isinstance(node, yaml.SequenceNode):
            for index, value in enumerate(node.value):
                yield from self.leaves(value, (*keys, str(index)), within)
        elif isinstance(node, yaml.ScalarNode):
            null = node.tag == "tag:yaml.org,2002:null" or node.style is None and node.value.lower() in _NULLS
            text = _joined(str(node.value))
            if not null and text is not None and text.strip():
                start, end = node.start_mark, node.end_mark
                yield Leaf(keys, text, start.index, end.index, start.line + 1)


def leaves(text: str, limits: Limits | None = None, media: str = "yaml") -> list[Leaf]:
    """Return the scalars of a configuration text, in order; nulls and empty values are left out.

    Args:
        text: the whole file.
        limits: bounds on depth and nodes.
        media: "yaml", "json", "toml", "ini" or "env".

    Raises:
        InvalidText: not of that form, or an alias inside its own anchor.
        TooLarge: nested too deeply, or too many nodes.
    """
    limits = limits or Limits()
    if media in _LINES:
        found = list(islice(_LINES[media](" " + text[1:] if text.startswith("\ufeff") else text), limits.nodes + 1))
        if len(found) > limits.nodes:
            raise TooLarge(f"the file has more than {limits.nodes} settings; split it")
        return found
    if text.startswith("\ufeff"):
        text = " " + text[1:]
    nodes = _compose(text)
    walk = _Walk(limits)
    out: list[Leaf] = []
    for index, node in enumerate(nodes):
        out.extend(walk.leaves(node, (str(index),) if len(nodes) > 1 else ()))
    return out


def _check_json(text: str) -> None:
    """Refuse what only YAML would read: `{owner audit}` is a file that was damaged.

    Raises:
        InvalidText: it is no JSON; the message says where.
    """
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InvalidText(f"the file is not readable JSON at {where}: {error.msg}") from None
    except RecursionError:
        raise TooLarge("the file is nested too deeply to be read; flatten it") from None
    except ValueError:  # an integer of thousands of digits is a text like any other here
        return


class ConfigExtractor:
    """Reads YAML, JSON, TOML, INI and .env documents.

    Without a rule the subject is the file's stem followed by the keys above the leaf ("billing tenants acme"), the
    predicate is the leaf's key, and the object its text. A list's items share the key of the list.

    Args:
        rules: names for paths; the first that matches wins.
        limits: bounds on input and answer.
    """

    name = "config"
    version = "1"

    def __init__(self, *, rules: Iterable[Rule] = (), limits: Limits | None = None) -> None:
        self._rules = tuple(rules)
        self._limits = limits or Limits()

    def extract(self, document: Document) -> list[Extracted]:
        """Return one candidate per scalar leaf.

        Raises:
            InvalidText: the text is not of the document's form.
            TooLarge: over the limits.
        """
        check_size(document, self._limits)
        if document.media == "json":
            _check_json(document.text)
        stem = _stem(document.uri)
        found = (self._candidate(document, stem, leaf) for leaf in leaves(document.text, self._limits, document.media))
        return checked(document, (item for item in found if item is not None), self._limits)

    def _candidate(self, document: Document, stem: str, leaf: Leaf) -> Extracted | None:
        named = self._named(stem, leaf)
        end = leaf.end
        while end > leaf.start and document.text[end - 1] in "\r\n \t":  # block scalars end after their line break
            end -= 1
        quote = document.text[leaf.start : end]
        if named is None or not quote:
            return None
        return Extracted(
            subject=named[0],
            predicate=named[1],
            object=leaf.value.strip(),
            observed_at=document.observed_at,
            quote=quote,
            start=leaf.start,
            end=end,
            locator=f"line={leaf.line} {leaf.pointer}".rstrip(),
            extractor=f"{self.name}/{self.version}",
        )

    def _named(self, stem: str, leaf: Leaf) -> tuple[str, str] | None:
        keys = [key for key in leaf.keys]
        while keys and keys[-1].isdigit():  # the item of a list: the list's key names it
            keys.pop()
        if not keys:
            return (stem, "item") if leaf.keys else (stem, "value")
        for rule in self._rules:
            met = rule.matches(keys)
            if met is not None:
                return rule.named(met), rule.predicate or _human(keys[-1], "_")
        return " ".join([stem, *(_human(key, " ") for key in keys[:-1])]), _human(keys[-1], "_")


def _human(key: str, joint: str) -> str:
    return _HUMAN.sub(joint, key.strip()).strip(joint) or key


def _stem(uri: str) -> str:
    path = PurePosixPath(uri.split("?", 1)[0].split("#", 1)[0].replace("\\", "/"))
    return path.name.split(".", 1)[0] or path.name or uri
