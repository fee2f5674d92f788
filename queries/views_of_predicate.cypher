// The claims of one predicate (edge positive or negative), each with all its justifications (no edge): whole records, from
// the claims' own edges. A page by id, from after an id on.
// parameters: predicate, after, limit
// columns: id, edge, seq, body
// sweep
MATCH (c:Node)-[x:IN_SLOT]->(:Node)
WHERE x.predicate = $predicate AND c.id > $after
WITH c
ORDER BY c.id
LIMIT $limit
MATCH (c)-[e:IN_SLOT|HEAD]->(:Node)
RETURN c.id AS id, e.kind AS edge, e.seq AS seq, e.body AS body
