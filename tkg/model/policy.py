"""The three policies: what may be written, what is shown, what is forgotten. Each can be written in one TOML file."""

from __future__ import annotations

from tkg.model.base import Value
from tkg.model.predicate import Registry
from tkg.model.scope import Channel


class WritePolicy(Value):
    """What the gate uses.

    `held_channels` wait for a person; `taint_since_human_turn` decides the exposure window of claims and summaries
    (False: the whole session); `future_skew_seconds` bounds how far in the future `observed_at` may lie.
    """

    version: str = "1"
    registry: Registry = Registry()
    text_rules: bool = True
    held_channels: tuple[Channel, ...] = (Channel.EXTERNAL,)
    future_skew_seconds: int = 300
    taint_since_human_turn: bool = True


class ReadPolicy(Value):
    """What recall uses: hard cap, floor, budget, half-lives, and the class a reader requires."""

    version: str = "1"
    k: int = 5
    token_budget: int = 1200
    floor: float = 0.0
    least_channel: Channel = Channel.EXTERNAL
    episode_half_life_days: int = 30
    episode_floor: float = 0.4
    origin_quota: float = 0.5


class ForgetPolicy(Value):
    """How long what is stored stays usable, by class, in days; None: until changed."""

    version: str = "1"
    ttl_days: dict[Channel, int | None] = {
        Channel.SYSTEM_OF_RECORD: None,
        Channel.HUMAN_VERIFIED: 365,
        Channel.HUMAN_STATED: 365,
        Channel.TRUSTED_TOOL: 30,
        Channel.AGENT_INFERRED: 30,
        Channel.EXTERNAL: 30,
    }


class Policies(Value):
    """The three, as read from `tkg.toml`."""

    write: WritePolicy = WritePolicy()
    read: ReadPolicy = ReadPolicy()
    forget: ForgetPolicy = ForgetPolicy()
