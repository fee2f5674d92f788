// Nodes and edges of the projection. Rows are added, never changed.
//
// `seq` is the transaction. `body` is the record as canonical JSON without its default values: a typed read takes one
// column instead of twenty, which is what a read costs in this engine. Columns beside it are what queries filter on or
// show. What a slot is asked for lies on its own edges (IN_SLOT, BACKS), and a justification lies on its HEAD: edge
// properties are read in place, those of the node behind an edge by scanning a block of 2,048 nodes.
// Instants are microseconds since 1970 as INT64: the engines lose zones and crash beyond the year 9999.

// --- about the graph itself
CREATE NODE TABLE Migration(number INT64 PRIMARY KEY, digest STRING);
CREATE NODE TABLE Identity(key STRING PRIMARY KEY, value STRING);
// the last entry of each transaction, with its hash
CREATE NODE TABLE Applied(seq INT64 PRIMARY KEY, hash STRING);
// announces a bulk load up to an entry; one without that entry in Applied was interrupted
CREATE NODE TABLE Bulk(upto INT64 PRIMARY KEY);

// --- nodes that are a name
CREATE NODE TABLE Entity(id STRING PRIMARY KEY);
CREATE NODE TABLE Slot(id STRING PRIMARY KEY);
CREATE NODE TABLE Session(id STRING PRIMARY KEY);
CREATE NODE TABLE Principal(id STRING PRIMARY KEY);
// whatever a change of state is about
CREATE NODE TABLE Target(id STRING PRIMARY KEY);
// mentioned here, kept in another tenant's ledger (what is global is read, shown and relied on everywhere)
CREATE NODE TABLE Outside(id STRING PRIMARY KEY);

// --- nodes that are a record
CREATE NODE TABLE Source(id STRING PRIMARY KEY, seq INT64, uri STRING, body STRING);
CREATE NODE TABLE Evidence(id STRING PRIMARY KEY, seq INT64, channel STRING, origin STRING, observed_at INT64, body STRING);
CREATE NODE TABLE Claim(id STRING PRIMARY KEY, seq INT64, scope STRING, subject STRING, predicate STRING, object STRING,
  object_norm STRING, object_type STRING, polarity STRING, from_lo INT64, from_hi INT64, to_lo INT64, to_hi INT64);
CREATE NODE TABLE Justification(id STRING PRIMARY KEY, seq INT64, kind STRING, channel STRING);
CREATE NODE TABLE Artefact(id STRING PRIMARY KEY, seq INT64, kind STRING, label STRING, body STRING);
CREATE NODE TABLE Retrieval(id STRING PRIMARY KEY, seq INT64, as_of INT64, body STRING);
CREATE NODE TABLE Verdict(id STRING PRIMARY KEY, seq INT64, outcome STRING, code STRING, body STRING);
CREATE NODE TABLE State(id STRING PRIMARY KEY, seq INT64, axis STRING, value STRING, code STRING, body STRING);

// --- edges of claims
CREATE REL TABLE IN_SLOT(FROM Claim TO Slot, seq INT64, body STRING);
CREATE REL TABLE SUBJECT(FROM Claim TO Entity, seq INT64);
CREATE REL TABLE OBJECT(FROM Claim TO Entity, seq INT64);
CREATE REL TABLE DEPENDS_ON(FROM Claim TO Claim, FROM Claim TO Outside, seq INT64);
CREATE REL TABLE SUPERSEDES(FROM Claim TO Claim, seq INT64, portion_from INT64, portion_to INT64, rule STRING, body STRING);
CREATE REL TABLE CONFLICTS_WITH(FROM Claim TO Claim, seq INT64, pattern STRING, rule STRING, body STRING);
CREATE REL TABLE REFINES(FROM Claim TO Claim, seq INT64, body STRING);

// --- derivation: both edges point up, from what was derived to what it rests on
CREATE REL TABLE HEAD(FROM Claim TO Justification, FROM Artefact TO Justification, seq INT64, body STRING);
CREATE REL TABLE REQUIRES(FROM Justification TO Evidence, FROM Justification TO Claim, FROM Justification TO Artefact,
  FROM Justification TO Outside, seq INT64);
// a justification of a claim, at the claim's slot
CREATE REL TABLE BACKS(FROM Justification TO Slot, seq INT64, body STRING);
// the shortcut from a claim to the evidence that alone justifies it
CREATE REL TABLE SUPPORTED_BY(FROM Claim TO Evidence, seq INT64);

// --- provenance, exposure, decisions
CREATE REL TABLE FROM_SOURCE(FROM Evidence TO Source, seq INT64);
CREATE REL TABLE COPY_OF(FROM Evidence TO Source, FROM Evidence TO Outside, seq INT64);
CREATE REL TABLE IN_SESSION(FROM Evidence TO Session, FROM Artefact TO Session, FROM Retrieval TO Session, seq INT64);
CREATE REL TABLE BY(FROM Evidence TO Principal, FROM Retrieval TO Principal, seq INT64);
CREATE REL TABLE SHOWED(FROM Retrieval TO Claim, FROM Retrieval TO Artefact, FROM Retrieval TO Evidence,
  FROM Retrieval TO Outside, seq INT64);
CREATE REL TABLE ABOUT(FROM Verdict TO Claim, FROM Verdict TO Outside, seq INT64);
CREATE REL TABLE CHANGED(FROM State TO Target, seq INT64);
