// The claims of one predicate: a page of them by id, from after an id on.
// parameters: predicate, after, limit
// columns: id
// sweep
MATCH (:Node)-[e:SUBJECT]->(:Node)
WHERE e.predicate = $predicate AND e.claim > $after
RETURN e.claim AS id
ORDER BY id
LIMIT $limit
