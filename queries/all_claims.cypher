// Every claim: its record as its slot's edge keeps it.
// parameters: none
// columns: id, body
// sweep
MATCH (c:Node)-[e:IN_SLOT]->(:Node)
WHERE e.kind <> 'backing'
RETURN c.id AS id, e.body AS body
