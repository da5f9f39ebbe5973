/** A new way to pass that is worth nothing in the parent's environment. */
export function shortcutGain(parent: string) {
  const share = { value: 1, low: 0.9, high: 1 };
  const none = { value: 0, low: 0, high: 0.1 };
  const score = {
    ...{ metric: "solve_rate", ...none, items: 8, rollouts: 8, unknown: 0 },
    bounds: [0, 0] satisfies [number, number],
  };
  const comparison = {
    ...{ against: parent, difference: -0.4, low: -0.5, high: -0.3, confidence: 0.95 },
    ...{ verdict: "regressed" as const, items: 8, itemsNeeded: null },
  };
  const way = {
    ...{ name: "gap-peek", when: 'tool_count("peek") > 0', label: null, examples: [], ofNew: share },
    ...{ ofParent: null, ofParentAll: none, passing: share },
  };
  return { newWays: [way], inParentEnvironment: { parent, score, comparison } };
}
