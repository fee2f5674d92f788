// What some transactions wrote or changed: claims, artefacts, evidence, heads of justifications, targets of changes.
// parameters: after, upto
// columns: id
// sweep
MATCH (n:Node)
WHERE n.seq > $after AND n.seq <= $upto AND (n.kind = 'claim' OR n.kind = 'artefact' OR n.kind = 'evidence')
RETURN n.id AS id
UNION ALL
MATCH (n:Node)-[h:HEAD]->(j:Node)
WHERE h.seq > $after AND h.seq <= $upto
RETURN n.id AS id
UNION ALL
MATCH (s:Node)-[:ABOUT]->(n:Node)
WHERE s.kind = 'status' AND s.seq > $after AND s.seq <= $upto
RETURN n.id AS id
