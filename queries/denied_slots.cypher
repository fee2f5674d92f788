// Pattern C2: the slots in which something is denied. A page by id, from after an id on.
// parameters: after, limit
// columns: id
// sweep
MATCH (:Node)-[e:IN_SLOT]->(s:Node)
WHERE e.kind = 'negative' AND s.id > $after
RETURN DISTINCT s.id AS id
ORDER BY id
LIMIT $limit
