// Patterns C1, C3, C5 and C9: the slots of one predicate that hold more than one claim, whatever became of them.
// Whether they contradict each other is for the predicate's declaration to say. A page by id, from after an id on.
// parameters: predicate, after, limit
// columns: id
// sweep
MATCH (:Node)-[e:IN_SLOT]->(s:Node)
WHERE e.predicate = $predicate AND s.id > $after
WITH s.id AS id, count(*) AS n
WHERE n > 1
RETURN id
ORDER BY id
LIMIT $limit
