"""Pictures that compare: what mistakes cost under two policies, and how a set of questions came out in several settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from tkg.gate.accounts import Mistakes
from tkg.model.policy import LossWeights
from tkg.plot.save import drawing, figure, shown, title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: lines that differ without colour
_LINES: Final = (
    ("#08306b", "solid", "o"),
    ("#a04000", "dashed", "s"),
    ("#1b7837", "dotted", "^"),
    ("#762a83", "dashdot", "D"),
)
#: fills and hatches of outcomes, from the best to the worst
_OUTCOMES: Final = (("#a6cee3", ""), ("#e0e0e0", ".."), ("#e6b0aa", "xx"), ("#fad7a0", "//"), ("#cab2d6", "\\\\"))


def losses(
    policies: Mapping[str, Mistakes], weights: LossWeights, *, most: float = 100, name: str = "What the mistakes cost"
) -> Figure:
    """Return how the loss of each policy grows with the weight of one false acceptance; the other weights stay.

    Args:
        policies: name of a policy -> the mistakes it made.
        weights: the weights written down; theirs of a false acceptance is marked.
        most: largest weight drawn.
        name: title of the figure.
    """
    with drawing():
        made = figure(8, 4.4)
        axes: Any = made.add_subplot()
        title(made, name)
        steps = [most * part / 50 for part in range(51)]
        now = {policy: mistakes.cost(weights) for policy, mistakes in policies.items()}
        for place, (policy, mistakes) in enumerate(policies.items()):
            colour, line, marker = _LINES[place % len(_LINES)]
            costs = [mistakes.cost(weights.model_copy(update={"false_accept": one})) for one in steps]
            axes.plot(steps, costs, color=colour, ls=line, marker=marker, markevery=10, label=shown(policy))
            least = now[policy] == min(now.values())
            axes.annotate(
                f"{now[policy]:,.2f}",
                (weights.false_accept, now[policy]),
                xytext=(5, -13) if least else (-5, 6),
                textcoords="offset points",
                ha="left" if least else "right",
            )
            axes.plot([weights.false_accept], [now[policy]], marker=".", color="0.1", zorder=4)
        axes.axvline(weights.false_accept, color="0.4", lw=1, ls="dotted")
        axes.set_xlim(0, most)
        axes.set_ylim(bottom=0)
        axes.set_xlabel(
            "weight of one false acceptance (a false rejection weighs "
            f"{weights.false_reject:g}, a review {weights.review:g}); dotted: the weight written down"
        )
        axes.set_ylabel("loss (weighted mistakes)")
        made.legend(loc="outside lower center", ncols=min(3, len(policies)), frameon=False)
    return made


def outcomes(settings: Mapping[str, Mapping[str, int]], *, unit: str, name: str) -> Figure:
    """Return one bar for each setting, divided by how its cases came out.

    Args:
        settings: setting -> outcome -> how many; the best outcome first, in one order.
        unit: what is counted, for the axis.
        name: title of the figure.
    """
    from matplotlib.patches import Patch

    with drawing():
        made = figure(8, 1.8 + 0.55 * max(len(settings), 1))
        axes: Any = made.add_subplot()
        title(made, name)
        words = list(dict.fromkeys(word for counts in settings.values() for word in counts))
        looks = {word: _OUTCOMES[place % len(_OUTCOMES)] for place, word in enumerate(words)}
        for row, counts in enumerate(reversed(list(settings.values()))):
            begin = 0
            for word, count in counts.items():
                if not count:
                    continue
                fill, hatch = looks[word]
                axes.barh([row], [count], left=begin, color=fill, hatch=hatch, edgecolor="0.25", height=0.7)
                axes.text(
                    begin + count / 2, row, str(count), ha="center", va="center",
                    bbox={"facecolor": "white", "alpha": 0.85, "lw": 0, "pad": 1.5},
                )  # fmt: skip
                begin += count
        axes.set_yticks(range(len(settings)), [shown(one, 44) for one in reversed(list(settings))])
        axes.set_xlabel(unit)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.grid(axis="y", visible=False)
        keys = [
            Patch(facecolor=fill, hatch=hatch, edgecolor="0.25", label=word) for word, (fill, hatch) in looks.items()
        ]
        made.legend(handles=keys, loc="outside lower center", ncols=min(4, max(len(keys), 1)), frameon=False)
    return made
