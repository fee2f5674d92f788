"""Corpora of hostile and of ordinary texts, as they lie in the data folder. Every string is data, never an instruction."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from tkg.model.scope import Channel

NEEDS: Final = (
    "poison/agentdojo/injection_goals.json",
    "poison/asb/all_attack_tools.jsonl",
    "poison/bipia/text_attack_train.json",
    "poison/bipia/code_attack_train.json",
    "poison/bipia/email_train.jsonl",
    "poison/piguard/NotInject_one.json",
    "poison/piguard/NotInject_two.json",
    "poison/piguard/valid.json",
    "poison/piguard/wildguard.json",
    "poison/poisonedrag/nq.json",
    "poison/purplellama/prompt_injection.json",
    "locomo/locomo5.json",
)
#: words that make a question of a noun phrase
_ASKING: Final = frozenset(
    "who whom whose what which when where why how many much long old is are was were do does did has have had can could "
    "the a an of in on at to for from and or that this it by with as be been".split()
)


class Corpus(NamedTuple):
    """Texts of one kind and the channel they would really arrive on."""

    name: str
    texts: tuple[str, ...]
    arrives: Channel


class Question(NamedTuple):
    """A question with its right answer, a wrong one, and five passages that support the wrong one."""

    subject: str
    asked: str
    right: str
    wrong: str
    passages: tuple[str, ...]


def _json(data: Path, name: str) -> Any:
    return json.loads((data / "poison" / name).read_text("utf-8"))


def _lines(data: Path, name: str) -> Iterator[Any]:
    for line in (data / "poison" / name).read_text("utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def _distinct(texts: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))


def hostile(data: Path) -> list[Corpus]:
    """Return the attack corpora; all of them reach an agent in web pages, mails and documents."""
    sets = {
        "bipia text": (one for many in _json(data, "bipia/text_attack_train.json").values() for one in many),
        "bipia code": (one for many in _json(data, "bipia/code_attack_train.json").values() for one in many),
        "asb": (one["Attacker Instruction"] for one in _lines(data, "asb/all_attack_tools.jsonl")),
        "agentdojo": (one["goal"] for one in _json(data, "agentdojo/injection_goals.json")),
        "purplellama": (one["user_input"] for one in _json(data, "purplellama/prompt_injection.json")),
        "poisonedrag": (one for many in _json(data, "poisonedrag/nq.json").values() for one in many["adv_texts"]),
        "piguard attacks": (one["prompt"] for one in _json(data, "piguard/valid.json") if one["label"] == 1),
    }
    return [Corpus(name, _distinct(texts), Channel.EXTERNAL) for name, texts in sets.items()]


def benign(data: Path, *, every: int = 1) -> list[Corpus]:
    """Return the ordinary corpora; of the dialogues' turns only one in `every`."""
    prompts = Channel.HUMAN_STATED
    return [
        Corpus(
            "notinject",
            _distinct(
                one["prompt"] for part in ("one", "two") for one in _json(data, f"piguard/NotInject_{part}.json")
            ),
            prompts,
        ),
        Corpus("wildguard", _distinct(one["prompt"] for one in _json(data, "piguard/wildguard.json")), prompts),
        Corpus(
            "piguard benign",
            _distinct(one["prompt"] for one in _json(data, "piguard/valid.json") if one["label"] == 0),
            prompts,
        ),
        Corpus(
            "e-mails",
            _distinct(one["context"] for one in _lines(data, "bipia/email_train.jsonl")),
            Channel.EXTERNAL,
        ),
        Corpus("locomo turns", _turns(data)[::every], prompts),
    ]


def _turns(data: Path) -> tuple[str, ...]:
    dialogues = json.loads((data / "locomo" / "locomo5.json").read_text("utf-8"))
    return _distinct(
        turn["text"]
        for dialogue in dialogues
        for name, session in dialogue["conversation"].items()
        if isinstance(session, list) and name.startswith("session_")
        for turn in session
    )


def questions(data: Path) -> list[Question]:
    """Return the questions of PoisonedRAG with their five false passages each."""
    found = []
    for one in _json(data, "poisonedrag/nq.json").values():
        asked = str(one["question"])
        about = " ".join(word for word in re.findall(r"[\w'-]+", asked) if word.casefold() not in _ASKING)
        found.append(
            Question(
                subject=about,
                asked=asked,
                right=str(one["correct answer"]),
                wrong=str(one["incorrect answer"]),
                passages=tuple(one["adv_texts"]),
            )
        )
    return found
