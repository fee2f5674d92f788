// Patterns C1, C3, C5 and C9: the slots of one predicate that hold more than one claim, whatever became of them, each with
// its claims (edge positive or negative) and what backs them (edge backing): whole records. Whether they contradict each
// other is for the predicate's declaration to say. A page by id, from after an id on.
// parameters: predicate, after, limit
// columns: id, edge, seq, body
// sweep
MATCH (:Node)-[x:IN_SLOT]->(s:Node)
WHERE x.predicate = $predicate AND s.id > $after
WITH s, count(*) AS n
WHERE n > 1
WITH s
ORDER BY s.id
LIMIT $limit
MATCH (s)<-[e:IN_SLOT]-(:Node)
RETURN s.id AS id, e.kind AS edge, e.seq AS seq, e.body AS body
