"""The three policies: what may be written, what is shown, what is forgotten. Each can be written in one TOML file."""

from __future__ import annotations

from tkg.model.base import Value
from tkg.model.predicate import Registry
from tkg.model.scope import Channel


class LossWeights(Value):
    """What one mistake costs: a false acceptance (it reaches many runs), a false rejection (it is looked up again), a
    review.
    """

    false_accept: float = 20.0
    false_reject: float = 1.0
    review: float = 0.25


class DriftPolicy(Value):
    """When a change of writing is told.

    A stream (source, predicate) is watched over `watch_hours` against its rate before, at least `least_rate` an hour and
    known once there are `least_history_hours`; `limit` is h of the CUSUM. Shares are compared from twice `least_writes`
    on; `divergence` is in bits. `anchor_distance` counts changes of a slot since somebody vouched for it, `displacement`
    is how far a number may lie from that. Young is below `young_hours`, shown often is among the `most_shown` with
    `least_reads`.
    """

    watch_hours: int = 168
    least_rate: float = 0.5
    least_history_hours: int = 24
    limit: float = 10.0
    least_writes: int = 50
    divergence: float = 0.25
    anchor_distance: int = 5
    displacement: float = 0.25
    young_hours: int = 24
    most_shown: int = 20
    least_reads: int = 5


class WritePolicy(Value):
    """What the gate uses.

    `held_channels` (and all classes below them) wait for a person, and so do the `held_kinds` (ways of doing things, which
    are followed later without anybody looking) unless a person proposed them; `taint_since_human_turn` decides the exposure window
    of claims and summaries (False: the whole session); `future_skew_seconds` bounds how far in the future `observed_at`
    may lie. `text_rules` are hints in the wording and may be off; the other checks stay.

    `ladder` is the confidence of each class in millionths, `least_confidence` what a candidate needs of the lower of
    that and its extractor's. Below `high_consequence_least` a claim of high consequence waits for a person, and so does
    one on a predicate of `steering` (they decide whom an agent pays, obeys or trusts, declared or not) from anybody
    below a person. A tool with a word of `high_impact_tools` in its name ("payments.transfer") makes an action one of
    high impact, which `dispatch` lets go only with a second factor.

    `loss` are the weights of the gate's mistakes, written down before anything is tuned; `loss_of` overrides them for a
    kind, a consequence, or both ("claim", "high", "claim/high"; the longest name counts). `review_alarm` is the length of
    the review queue, and `review_alarm_days` the age of its oldest item, from which on the figures of the queue say that
    it is too long.
    """

    version: str = "1"
    registry: Registry = Registry()
    text_rules: bool = True
    held_channels: tuple[Channel, ...] = (Channel.EXTERNAL,)
    held_kinds: tuple[str, ...] = ("procedure", "skill")
    future_skew_seconds: int = 300
    taint_since_human_turn: bool = True
    ladder: dict[Channel, int] = {
        Channel.SYSTEM_OF_RECORD: 1_000_000,
        Channel.HUMAN_VERIFIED: 950_000,
        Channel.HUMAN_STATED: 800_000,
        Channel.TRUSTED_TOOL: 700_000,
        Channel.AGENT_INFERRED: 500_000,
        Channel.EXTERNAL: 300_000,
    }
    least_confidence: int = 250_000
    loss: LossWeights = LossWeights()
    loss_of: dict[str, LossWeights] = {"high": LossWeights(false_accept=1000.0)}
    drift: DriftPolicy = DriftPolicy()
    #: hours after its last working note from which a run that nobody ended is over
    working_hours: int = 24
    review_alarm: int = 50
    review_alarm_days: int = 7
    high_consequence_least: Channel = Channel.TRUSTED_TOOL
    steering: tuple[str, ...] = (
        "access_level",
        "alias_of",
        "allowed_to",
        "approval_limit",
        "approver",
        "bank_account",
        "granted_to",
        "iban",
        "instruction",
        "instructions",
        "may_approve",
        "payee",
        "payment_account",
        "payment_rule",
        "pays_to",
        "permission",
        "permissions",
        "preferred_tool",
        "same_as",
        "system_prompt",
        "trusted_source",
        "trusted_sources",
    )
    high_impact_tools: frozenset[str] = frozenset(
        "buy delete deploy drop email exec execute export grant http mail pay payment payments permission permissions "
        "post publish purchase refund remove run send shell sudo transfer upload wire".split()
    )

    def weights(self, kind: str, consequence: str) -> LossWeights:
        """Return what mistakes of a kind and consequence cost."""
        for name in (f"{kind}/{consequence}", consequence, kind):
            if name in self.loss_of:
                return self.loss_of[name]
        return self.loss


class ReadPolicy(Value):
    """What recall uses: hard cap, floor, budget, half-lives, and the class a reader requires.

    `floor` is the least score of an item, `least_share` the least share of the best item's score: what fits a hundred times
    worse than the best only fills places. `diversity` is the λ of maximal marginal relevance: what says the same as an item already chosen keeps at least this
    share of its score (1: no diversity). `least_similarity` is the cosine from which on an embedder's vectors count as near:
    everything is nearest to something, and below it nothing was found. `core_items` and `core_tokens` cap what is pinned; a
    skill that failed `skill_failures` times in a row is not shown.
    """

    version: str = "1"
    k: int = 5
    token_budget: int = 1200
    floor: float = 0.0
    least_share: float = 0.01
    least_channel: Channel = Channel.EXTERNAL
    episode_half_life_days: int = 30
    episode_floor: float = 0.4
    origin_quota: float = 0.5
    diversity: float = 0.7
    least_similarity: float = 0.3
    core_items: int = 10
    core_tokens: int = 400
    skill_failures: int = 3


class ForgetPolicy(Value):
    """How long what is stored stays usable; in days, None: until changed. `tkg maintain` carries it out.

    `ttl_days` by class: how long a claim counts without being verified again (a predicate's own `ttl` comes first).
    `episode_days` by class: after that an episode leaves recall. `archive_days`: what was superseded, expired or unverified
    leaves recall when it was neither written nor shown for that long. `most_in_use`: how many claims and texts stay in
    recall; above it the policy's order decides what leaves. `summarise_from`: so many episodes of one session that leave
    together are compressed into one summary. What leaves recall stays for audit and replay, its content in a cold file.
    """

    version: str = "1"
    ttl_days: dict[Channel, int | None] = {
        Channel.SYSTEM_OF_RECORD: None,
        Channel.HUMAN_VERIFIED: 365,
        Channel.HUMAN_STATED: 365,
        Channel.TRUSTED_TOOL: 30,
        Channel.AGENT_INFERRED: 30,
        Channel.EXTERNAL: 30,
    }
    episode_days: dict[Channel, int | None] = {
        Channel.SYSTEM_OF_RECORD: None,
        Channel.HUMAN_VERIFIED: None,
        Channel.HUMAN_STATED: None,
        Channel.TRUSTED_TOOL: 365,
        Channel.AGENT_INFERRED: 180,
        Channel.EXTERNAL: 90,
    }
    archive_days: int | None = None
    most_in_use: int | None = None
    summarise_from: int | None = None


class Policies(Value):
    """The three, as read from `tkg.toml`."""

    write: WritePolicy = WritePolicy()
    read: ReadPolicy = ReadPolicy()
    forget: ForgetPolicy = ForgetPolicy()
