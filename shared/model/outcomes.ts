/** How a rollout can end: an evaluator that crashed gives unknown, never fail. */
export const outcomes = ["pass", "fail", "unknown"] as const;
