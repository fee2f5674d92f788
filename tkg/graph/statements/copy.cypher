// Whole tables from Arrow. Columns go by position: those of a table of edges are source, target, then as in the schema.

// name: Node
COPY Node FROM $rows

// name: IN_SLOT
COPY IN_SLOT FROM $rows

// name: SUBJECT
COPY SUBJECT FROM $rows

// name: OBJECT
COPY OBJECT FROM $rows

// name: DEPENDS_ON
COPY DEPENDS_ON FROM $rows

// name: SUPERSEDES
COPY SUPERSEDES FROM $rows

// name: CONFLICTS_WITH
COPY CONFLICTS_WITH FROM $rows

// name: REFINES
COPY REFINES FROM $rows

// name: HEAD
COPY HEAD FROM $rows

// name: REQUIRES
COPY REQUIRES FROM $rows

// name: FROM_SOURCE
COPY FROM_SOURCE FROM $rows

// name: COPY_OF
COPY COPY_OF FROM $rows

// name: IN_SESSION
COPY IN_SESSION FROM $rows

// name: BY
COPY BY FROM $rows

// name: SHOWED
COPY SHOWED FROM $rows

// name: ABOUT
COPY ABOUT FROM $rows

// name: ids
MATCH (n:Node)
RETURN n.id
