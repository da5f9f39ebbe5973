/** A diagnostic of about 200 lines with a finding on each of 18 of them. */
export function longDiagnostic(): string {
  const lines = [
    "apiVersion: evotrainer/v1",
    "kind: Diagnostic",
    "name: long",
    "description: A spec as long as one becomes that is written with care and tested on many examples.",
    "layer: behaviour",
    "domains: [swe, math]",
    "params: { streak: 8, calls: 3 }",
    "label:",
    '  when: longest_tool_streak >= params.streak && outcome != "pass" && n_tool_calls > params.calls',
    '  evidence: turn.tool == streak_tool && turn.text.contains("Traceback")',
    "  severity: warning",
    "alert: { metric: rate, above: 0.10, critical: 0.25 }",
    "examples:",
  ];
  for (let i = 0; lines.length < 197; i++) {
    // A key that is not known, in 18 examples: what a person mistypes.
    const outcome = i % 2 === 0 && i < 36 ? "outcom" : "outcome";
    lines.push(
      "  - rollout:",
      `      ${outcome}: ${i % 3 === 0 ? "pass" : "fail"}`,
      `      reward: ${(i % 10) / 10}`,
      `      turns: [{ tool: bash, text: "run ${i}" }, { tool: edit, ok: true }]`,
      "    expect: clear",
    );
  }
  return `${lines.join("\n")}\n`;
}

/** A project of about 200 lines with 18 findings. */
export function longProject(): string {
  const lines = [
    "apiVersion: evotrainer/v1",
    "kind: Project",
    "name: long",
    "domain: swe",
    "trainer: { command: [python, train.py], seeds: [1, 2, 3] }",
    "evaluation:",
    "  splits: { train: data/train.jsonl, selection: data/selection.jsonl, audit: data/audit.jsonl }",
    "surfaces:",
  ];
  for (let i = 0; lines.length < 197; i++)
    lines.push(
      `  - factor: ${i < 18 ? "rewrd" : "reward"}`,
      `    file: harness/part-${i}.yaml`,
      `    paths: [components.term-${i}.weight, components.term-${i}.shape]`,
    );
  return `${lines.join("\n")}\n`;
}

/** The project around the spec that is edited. */
export const smallProject = `apiVersion: evotrainer/v1
kind: Project
name: bench
domain: swe
trainer: { command: [python, train.py] }
evaluation: { splits: { train: a.jsonl, selection: b.jsonl, audit: c.jsonl } }
surfaces: [{ factor: reward, file: harness/main.reward.yaml }]
`;
