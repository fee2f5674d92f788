// The ids of claims, artefacts, evidence and reads that begin with a text: a page of them, in order, from after an id on.
// parameters: prefix, after, limit
// columns: id
// sweep
MATCH (n:Node)
WHERE n.id STARTS WITH $prefix AND n.id > $after
  AND (n.kind = 'claim' OR n.kind = 'artefact' OR n.kind = 'evidence' OR n.kind = 'retrieval')
RETURN n.id AS id
ORDER BY id
LIMIT $limit
