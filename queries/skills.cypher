// The skills, whatever became of them. An artefact's kind lies in its record; there a quote inside a text is escaped.
// parameters: none
// columns: id, seq
// sweep
MATCH (n:Node)
WHERE n.kind = 'artefact' AND n.body CONTAINS '"kind":"skill"'
RETURN n.id AS id, n.seq AS seq
