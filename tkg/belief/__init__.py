"""Belief: what holds when, what contradicts what, and what falls with what. Pure: values in, values out.

The contract (all take claims as `SlotClaim`, statuses as a `Book`, instants in microseconds, `as_of` as a sequence):

* `normalise.normalise(raw, predicate) -> Normal(norm, type, version, lossy)`; `compare.compare(a, b, predicate, same)`
  and `compare.compare_claims(a, b, predicate, same) -> EQUAL | REFINES | GENERALISES | DIFFERENT | UNKNOWN`.
* `contradiction.assess(new, others, predicate, book, *, as_of, label, same) -> Assessed` with `outcome` accept |
  reinforce | hold | quarantine | withdraw | close, `row`, `reason`, `target` (the claim reinforced), `withdraws`,
  `closes`, and `records(ids)`: the edges to write. `table.classify(new, old, …)` is one row of the decision table.
* `validity.value(layers, predicate, book, valid_at, as_of, *, lookup, same) -> Answer(kind, values, claims, …)`;
  `layers` narrowest scope first; `lookup(claim_id) -> Slot(claims, predicate) | None` serves `depends_on`.
  `validity.effective(claim, claims, predicate, book, as_of) -> ((from, to), …)`; `validity.timeline(layers, …) ->
  [Segment(valid_from, valid_to, answer)]`; `history.rectangles(…)` has both axes.
* `state.state_of(view, claims, predicate, book, valid_at, as_of, *, lookup, unverified) -> State(name, by, reason)`;
  `state.artefact_state(id, justification, book, as_of, *, stale) -> State`.
* `cascade.gather(roots, graph) -> (backers, depends)`; `cascade.plan(backers, book, {node: new status}, *, added,
  depends) -> Plan(fallen, suspended, returned, survivors, marks)`: write every mark as
  `StatusChange(axis="support", target=node, value=support)` in the entry that changes the statuses.
* `sweep.contradictions(claims, predicate, book, as_of) -> [Contradiction(left, right, …, status)]` for one slot;
  `patterns` has C4 to C8, which need claims of other slots.
* `questions.why | why_not | single_points | blast`, `confidence.confidence`, `origin.clusters | independent`,
  `label.window | label_of | second_factor`, `allen.relate`, `multirange.union | subtract | intersect`.
"""
