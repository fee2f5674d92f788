// Every justification of everything that a node rests on; those of the node itself come from justifications.
// The second step is optional only because the engines then follow it node by node instead of reading every edge.
// Up to 60,000 steps, for what reaches the bound of the query of the same name without deep.
// parameters: id
// columns: seq, body
MATCH (:Node {id: $id})-[:HEAD|REQUIRES* SHORTEST 1..60000]->(d:Node)
OPTIONAL MATCH (d)-[h:HEAD]->(j:Node)
RETURN h.seq AS seq, h.body AS body
