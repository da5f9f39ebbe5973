interface Alerted {
  readonly alert: "warning" | "critical" | null;
  /** Absent of a share of rollouts. */
  readonly over?: "rollout" | "group" | undefined;
  readonly rate: number | null;
}

/** 0 for a critical alert, 1 for a warning, 2 for none. */
export const alertRank = (alert: Alerted["alert"]): number =>
  alert === "critical" ? 0 : alert === "warning" ? 1 : 2;

/**
 * The order of labels in a list that may be cut: what set off an alert, the worst first; then what the rollouts of the version
 * show, before groups of its training; then the most frequent.
 */
export const byAlert = (a: Alerted, b: Alerted): number =>
  alertRank(a.alert) - alertRank(b.alert) ||
  Number(a.over === "group") - Number(b.over === "group") ||
  (b.rate ?? 0) - (a.rate ?? 0);
