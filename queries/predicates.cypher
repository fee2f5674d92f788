// The predicates there are claims of, and how many claims.
// parameters: none
// columns: predicate, n
// sweep
MATCH (:Node)-[e:SUBJECT]->(:Node)
WHERE e.predicate IS NOT NULL
RETURN e.predicate AS predicate, count(*) AS n
