"""A lineage in the DOT language, for Graphviz and whatever else reads it. All text is quoted."""

from __future__ import annotations

from tkg.memory.answers import Lineage, Node
from tkg.plot.looks import look
from tkg.text import safe_text

_SHAPES = {"source": "box3d", "evidence": "note", "claim": "ellipse", "action": "cds", "skill": "component"}


def _escaped(text: object) -> str:
    return safe_text(text, one_line=True).replace("\\", "\\\\").replace('"', '\\"')


def _node(one: Node, *, root: bool) -> str:
    style = look(one.state)
    label = f"{_escaped(f'{one.kind} · {one.state}')}\\n{_escaped(one.label)}"  # the one line break Graphviz is to see
    line = {"dashdot": "dashed"}.get(style.line, style.line)
    return (
        f'  "{_escaped(one.id)}" [label="{label}", shape={_SHAPES.get(one.kind, "box")}, '
        f'style="filled,{line}", fillcolor="{style.fill}", color="{style.edge}", penwidth={2.5 if root else 1.2}];'
    )


def dot(found: Lineage) -> str:
    """Return a lineage as a directed graph, from sources to what grew."""
    nodes = (found.root, *found.up, *found.down)
    known = {one.id for one in nodes}
    lines = ["digraph lineage {", "  rankdir=LR;", '  node [fontname="sans-serif", fontsize=10];']
    lines += [_node(one, root=one.id == found.root.id) for one in nodes]
    edges: dict[tuple[str, str], None] = {}
    for one in found.up:
        edges.update(((one.id, parent), None) for parent in one.parents if parent in known)
    for one in found.down:
        edges.update(((parent, one.id), None) for parent in one.parents if parent in known)
    lines += [f'  "{_escaped(start)}" -> "{_escaped(end)}";' for start, end in edges]
    return "\n".join([*lines, "}"])
