/** An outcome in words and by a sign, so that it is told apart without colour. */
export const outcomeTexts = {
  pass: { sign: "✓", text: "passed" },
  fail: { sign: "✗", text: "failed" },
  unknown: { sign: "?", text: "unknown" },
} as const;
