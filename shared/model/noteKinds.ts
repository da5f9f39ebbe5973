/** What a person can say of a version; a hint is for the proposers that are asked to change it. */
export const noteKinds = ["text", "tag", "untag", "name", "hint"] as const;
export type NoteKind = (typeof noteKinds)[number];
