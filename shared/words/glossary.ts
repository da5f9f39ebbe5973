/** Words of the field that not everybody knows, each in a sentence: said once, shown on hover wherever the word stands. */
export const glossary = {
  factor:
    "The one kind of thing that a version changes: reward, filter, data, environment, sampling or optimisation.",
  "dead group": "A group of rollouts of one item that all get the same reward: it gives no gradient.",
  "order violation": "A failed rollout that gets a higher reward than a passed one of its group.",
  "kept group": "A group that the filter lets through, so the policy trains on it.",
  "p (Holm)":
    "The chance of seeing so large a change if nothing had really changed, corrected by Holm's method for the number of labels that were looked at.",
  confidence:
    "How sure an interval is. It is 95 %, and more where several versions or several looks at one are tested at once, so that all of them together are wrong in 5 of 100 cases at most.",
} as const;

export type GlossaryWord = keyof typeof glossary;

/** The word that the name of a figure is about, such as `order_violations`; undefined for a plain one. */
export function glossaryWordOf(figure: string): GlossaryWord | undefined {
  if (figure.startsWith("dead")) return "dead group";
  if (figure.includes("violation")) return "order violation";
  return figure.startsWith("kept") || figure.startsWith("keep") ? "kept group" : undefined;
}
