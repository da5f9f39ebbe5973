/** How long its owner keeps an archive: for one verb, for an evolution, or as long as an editor is open. */
export const roles = ["verb", "evolve", "editor"] as const;
export type Role = (typeof roles)[number];
