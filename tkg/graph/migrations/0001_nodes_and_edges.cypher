// Nodes and edges of the projection. Rows are added, never changed.
//
// One table of nodes, told apart by `kind`: a table of nodes costs 5 MB of memory before its first row and a table of edges
// 8 MB for every pair of node tables with its first one, in each tenant's graph. A table a kind would be 250 MB a tenant.
//
// kinds that are a record: claim evidence justification artefact retrieval verdict status source
// kinds that are a name:   entity slot session principal place (of a source) target (of a change) outside (another tenant's)
//
// `seq` is the transaction. `body` is the record as JSON without its default values: a typed read takes one column instead
// of twenty, which is what a read costs in this engine. Edge properties are read in place, those of the node behind an
// edge by scanning blocks of 2,048 nodes; so a claim lies on its IN_SLOT, a justification on its HEAD and again on its
// IN_SLOT, and what contradiction queries compare lies on IN_SLOT, SUBJECT and OBJECT.
// Instants are microseconds since 1970 as INT64: the engines lose zones and crash beyond the year 9999.

// --- about the graph itself
// kind: applied (the last entry of a transaction, with its hash), announced (a bulk load up to an entry), identity (the
// engine, its version, this format) and migration; each has a number of its own, so that no mark is ever changed
CREATE NODE TABLE Mark(number INT64 PRIMARY KEY, kind STRING, seq INT64, value STRING);

CREATE NODE TABLE Node(id STRING PRIMARY KEY, kind STRING, seq INT64, body STRING);

// --- claims
// a claim (kind: positive, negative) or a justification of one (kind: backing) at its slot
CREATE REL TABLE IN_SLOT(FROM Node TO Node, kind STRING, seq INT64, predicate STRING, object_norm STRING, from_lo INT64, to_hi INT64, body STRING);
CREATE REL TABLE SUBJECT(FROM Node TO Node, seq INT64, claim STRING, predicate STRING);
CREATE REL TABLE OBJECT(FROM Node TO Node, seq INT64, claim STRING, predicate STRING);
CREATE REL TABLE DEPENDS_ON(FROM Node TO Node);
CREATE REL TABLE SUPERSEDES(FROM Node TO Node, seq INT64, body STRING);
CREATE REL TABLE CONFLICTS_WITH(FROM Node TO Node, seq INT64, body STRING);
CREATE REL TABLE REFINES(FROM Node TO Node, seq INT64, body STRING);

// --- derivation: both edges point up, from what was derived to its justification, and from there to what that requires
CREATE REL TABLE HEAD(FROM Node TO Node, seq INT64, body STRING);
CREATE REL TABLE REQUIRES(FROM Node TO Node);

// --- provenance, exposure, decisions
CREATE REL TABLE FROM_SOURCE(FROM Node TO Node);
CREATE REL TABLE COPY_OF(FROM Node TO Node);
CREATE REL TABLE IN_SESSION(FROM Node TO Node);
CREATE REL TABLE BY(FROM Node TO Node);
CREATE REL TABLE SHOWED(FROM Node TO Node);
// a verdict about a claim, a change of state about its target
CREATE REL TABLE ABOUT(FROM Node TO Node);
