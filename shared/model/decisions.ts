/** What can be decided of a version. A file of its own, so that a view takes the words without the schemas. */
export const decisions = ["base", "keep", "reject", "invalid", "edit", "prune", "merge", "revert"] as const;

/** As shown: a version that waits for its decision is pending. */
export const shownDecisions = [...decisions, "pending"] as const;
export type ShownDecision = (typeof shownDecisions)[number];

/** What a person can say of a version. */
export const noteKinds = ["text", "tag", "untag", "name"] as const;
export type NoteKind = (typeof noteKinds)[number];
