// Every justification of everything that a node rests on; those of the node itself come from justifications.
// The second step is optional only because the engines then follow it node by node instead of reading every edge.
// Up to 300 steps: with a larger bound the engine expects the whole graph and reads all of it.
// parameters: id
// columns: seq, body
MATCH (:Node {id: $id})-[:HEAD|REQUIRES* SHORTEST 1..300]->(d:Node)
OPTIONAL MATCH (d)-[h:HEAD]->(j:Node)
RETURN h.seq AS seq, h.body AS body
