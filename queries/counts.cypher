// How many nodes and edges there are of each kind.
// parameters: none
// columns: kind, n
// sweep
MATCH (n:Artefact)
RETURN 'artefact' AS kind, count(*) AS n
UNION ALL
MATCH (n:Claim)
RETURN 'claim' AS kind, count(*) AS n
UNION ALL
MATCH (n:Entity)
RETURN 'entity' AS kind, count(*) AS n
UNION ALL
MATCH (n:Evidence)
RETURN 'evidence' AS kind, count(*) AS n
UNION ALL
MATCH (n:Justification)
RETURN 'justification' AS kind, count(*) AS n
UNION ALL
MATCH (n:Outside)
RETURN 'outside' AS kind, count(*) AS n
UNION ALL
MATCH (n:Principal)
RETURN 'principal' AS kind, count(*) AS n
UNION ALL
MATCH (n:Retrieval)
RETURN 'retrieval' AS kind, count(*) AS n
UNION ALL
MATCH (n:Session)
RETURN 'session' AS kind, count(*) AS n
UNION ALL
MATCH (n:Slot)
RETURN 'slot' AS kind, count(*) AS n
UNION ALL
MATCH (n:Source)
RETURN 'source' AS kind, count(*) AS n
UNION ALL
MATCH (n:State)
RETURN 'status' AS kind, count(*) AS n
UNION ALL
MATCH (n:Verdict)
RETURN 'verdict' AS kind, count(*) AS n
UNION ALL
MATCH (:Claim)-[e:CONFLICTS_WITH]->(:Claim)
RETURN 'conflict' AS kind, count(*) AS n
UNION ALL
MATCH (:Claim)-[e:REFINES]->(:Claim)
RETURN 'refinement' AS kind, count(*) AS n
UNION ALL
MATCH (:Claim)-[e:SUPERSEDES]->(:Claim)
RETURN 'supersession' AS kind, count(*) AS n
