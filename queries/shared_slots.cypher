// Slots that hold more than one claim: only there can one claim make room for another.
// parameters: none
// columns: id
// sweep
MATCH (:Node)-[e:IN_SLOT]->(s:Node)
WHERE e.kind <> 'backing'
WITH s.id AS id, count(*) AS claims
WHERE claims > 1
RETURN id
