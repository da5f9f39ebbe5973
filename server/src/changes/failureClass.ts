import type { flowKinds } from "../../../shared/model/flowKinds.ts";
import type { Fate } from "./fates.ts";

/** What failures are told apart by. */
export type FlowBy = (typeof flowKinds)[number];

/** Which of several labels names a rollout: the first of this order that it carries. */
export interface LabelOrder {
  /** Most severe first. */
  readonly labels: readonly string[];
  /** Those with which a pass does not count. */
  readonly invalidating: ReadonlySet<string>;
}

/** The class of a rollout: pass, unknown, or what kind of failure it is. Every rollout has exactly one. */
export function classOf(fate: Fate, by: FlowBy, order: LabelOrder): string {
  const { outcome, stopReason } = fate;
  if (by === "label") {
    const leak = order.labels.find((l) => order.invalidating.has(l) && fate.labels.includes(l));
    if (leak !== undefined) return `invalid: ${leak}`;
  }
  if (outcome !== "fail" || by === "outcome") return outcome;
  if (by === "stop") return `fail: ${stopReason ?? "no stop reason"}`;
  return `fail: ${order.labels.find((l) => fate.labels.includes(l)) ?? "no label"}`;
}

/**
 * The class of an item from those of its samples: pass when all that are known pass, mixed when some do, else the most
 * frequent kind of failure; unknown when nothing is known.
 */
export function itemClass(classes: readonly string[]): string {
  const known = classes.filter((c) => c !== "unknown");
  const passes = known.filter((c) => c === "pass").length;
  if (known.length === 0) return "unknown";
  if (passes > 0) return passes === known.length ? "pass" : "mixed";
  const counts = new Map<string, number>();
  for (const c of known) counts.set(c, (counts.get(c) ?? 0) + 1);
  const [first] = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return first?.[0] ?? "unknown";
}
