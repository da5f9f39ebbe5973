import { turnNumbers } from "../../../shared/words/turnNumbers.ts";
import type { ShownRollout, ShownTurn } from "../../../shared/protocol/views/rollout.ts";

/** A trajectory as Markdown: what it holds stands in fences that it cannot close, so that nothing of it is markup. */
export function rolloutMarkdown({ version, rollout, stepless, labels, notes, said }: ShownRollout): string {
  const facts: readonly (readonly [string, string | null])[] = [
    ["version", `${version}, ${rollout.split} split`],
    ["item", rollout.item],
    stepless === true
      ? ["sample", String(rollout.sample)]
      : ["step, sample", `${rollout.step}, ${rollout.sample}`],
    ["outcome", [rollout.outcome, rollout.unknown_reason].filter(Boolean).join(": ")],
    ["stop reason", rollout.stop_reason],
    ["reward", rollout.reward === null ? null : String(rollout.reward)],
    [
      "reward signals",
      Object.entries(rollout.components)
        .map(([name, value]) => `${name} ${value}`)
        .join(", "),
    ],
    [
      "labels",
      labels
        .map(({ label, turns }) => `${label}${turns.length > 0 ? ` (${turnNumbers(turns)})` : ""}`)
        .join(", "),
    ],
    ...said.map(({ label, labelled, by }) => [`${by} says`, `${labelled ? "" : "not "}${label}`] as const),
    ...notes.map(({ note, by, at }) => [`note of ${by}, ${at}`, note] as const),
  ];
  const lines = facts.flatMap(([name, value]) =>
    value === null || value === "" ? [] : [`- ${name}: ${code(value)}`],
  );
  return `# ${code(`${rollout.run}/${rollout.id}`)}\n\n${lines.join("\n")}\n\n${rollout.turns.map(turnMarkdown).join("\n")}`;
}

function turnMarkdown({ role, tool, ok, args, text }: ShownTurn, index: number): string {
  const head = [
    code(role),
    tool === undefined ? "" : code(tool),
    ok === undefined ? "" : ok ? "succeeded" : "failed",
  ];
  const parts = [
    `## ${index + 1} · ${head.filter((part) => part !== "").join(" · ")}\n`,
    ...(args === undefined ? [] : [fenced(JSON.stringify(args, null, 2), "json")]),
    ...(text === "" && args !== undefined ? [] : [fenced(text, "text")]),
  ];
  return parts.join("\n");
}

/** A fence is longer than any run of backticks in it. */
function fenced(text: string, language: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}\n`;
}

function code(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  const tick = "`".repeat(longestRun(line) + 1);
  const room = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${tick}${room}${line}${room}${tick}`;
}

const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
