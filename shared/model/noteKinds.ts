/** What a person can say of a version. */
export const noteKinds = ["text", "tag", "untag", "name"] as const;
export type NoteKind = (typeof noteKinds)[number];
