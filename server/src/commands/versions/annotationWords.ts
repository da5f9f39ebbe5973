import type { NoteKind } from "../../../../shared/model/noteKinds.ts";

/** What stands behind `evotrainer lineage` to say something of a version; apart, for completion and the verb itself. */
export const annotationWords: Readonly<Record<string, NoteKind>> = {
  note: "text",
  tag: "tag",
  untag: "untag",
  name: "name",
  hint: "hint",
};

export const isAnnotation = (word: string): boolean => Object.hasOwn(annotationWords, word);
