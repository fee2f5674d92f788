// Whole tables from Arrow; columns go by position, so their order is that of the schema.

// name: Entity
COPY Entity FROM $rows

// name: Slot
COPY Slot FROM $rows

// name: Session
COPY Session FROM $rows

// name: Principal
COPY Principal FROM $rows

// name: Target
COPY Target FROM $rows

// name: Outside
COPY Outside FROM $rows

// name: Source
COPY Source FROM $rows

// name: Evidence
COPY Evidence FROM $rows

// name: Claim
COPY Claim FROM $rows

// name: Justification
COPY Justification FROM $rows

// name: Artefact
COPY Artefact FROM $rows

// name: Retrieval
COPY Retrieval FROM $rows

// name: Verdict
COPY Verdict FROM $rows

// name: State
COPY State FROM $rows

// name: IN_SLOT_Claim_Slot
COPY IN_SLOT FROM $rows

// name: SUBJECT_Claim_Entity
COPY SUBJECT FROM $rows

// name: OBJECT_Claim_Entity
COPY OBJECT FROM $rows

// name: DEPENDS_ON_Claim_Claim
COPY DEPENDS_ON FROM $rows (from='Claim', to='Claim')

// name: DEPENDS_ON_Claim_Outside
COPY DEPENDS_ON FROM $rows (from='Claim', to='Outside')

// name: SUPERSEDES_Claim_Claim
COPY SUPERSEDES FROM $rows

// name: CONFLICTS_WITH_Claim_Claim
COPY CONFLICTS_WITH FROM $rows

// name: REFINES_Claim_Claim
COPY REFINES FROM $rows

// name: HEAD_Claim_Justification
COPY HEAD FROM $rows (from='Claim', to='Justification')

// name: HEAD_Artefact_Justification
COPY HEAD FROM $rows (from='Artefact', to='Justification')

// name: REQUIRES_Justification_Evidence
COPY REQUIRES FROM $rows (from='Justification', to='Evidence')

// name: REQUIRES_Justification_Claim
COPY REQUIRES FROM $rows (from='Justification', to='Claim')

// name: REQUIRES_Justification_Artefact
COPY REQUIRES FROM $rows (from='Justification', to='Artefact')

// name: REQUIRES_Justification_Outside
COPY REQUIRES FROM $rows (from='Justification', to='Outside')

// name: BACKS_Justification_Slot
COPY BACKS FROM $rows

// name: SUPPORTED_BY_Claim_Evidence
COPY SUPPORTED_BY FROM $rows

// name: FROM_SOURCE_Evidence_Source
COPY FROM_SOURCE FROM $rows

// name: COPY_OF_Evidence_Source
COPY COPY_OF FROM $rows (from='Evidence', to='Source')

// name: COPY_OF_Evidence_Outside
COPY COPY_OF FROM $rows (from='Evidence', to='Outside')

// name: IN_SESSION_Evidence_Session
COPY IN_SESSION FROM $rows (from='Evidence', to='Session')

// name: IN_SESSION_Artefact_Session
COPY IN_SESSION FROM $rows (from='Artefact', to='Session')

// name: IN_SESSION_Retrieval_Session
COPY IN_SESSION FROM $rows (from='Retrieval', to='Session')

// name: BY_Evidence_Principal
COPY BY FROM $rows (from='Evidence', to='Principal')

// name: BY_Retrieval_Principal
COPY BY FROM $rows (from='Retrieval', to='Principal')

// name: SHOWED_Retrieval_Claim
COPY SHOWED FROM $rows (from='Retrieval', to='Claim')

// name: SHOWED_Retrieval_Artefact
COPY SHOWED FROM $rows (from='Retrieval', to='Artefact')

// name: SHOWED_Retrieval_Evidence
COPY SHOWED FROM $rows (from='Retrieval', to='Evidence')

// name: SHOWED_Retrieval_Outside
COPY SHOWED FROM $rows (from='Retrieval', to='Outside')

// name: ABOUT_Verdict_Claim
COPY ABOUT FROM $rows (from='Verdict', to='Claim')

// name: ABOUT_Verdict_Outside
COPY ABOUT FROM $rows (from='Verdict', to='Outside')

// name: CHANGED_State_Target
COPY CHANGED FROM $rows
