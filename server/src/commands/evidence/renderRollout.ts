import { inBlock, inLine, jsonText, withPlainTexts } from "../../base/plainText.ts";
import type { ResultOf } from "../../engine/services/services.ts";
import { counted } from "../../../../shared/words/numbers.ts";
import { readFirst } from "../../../../shared/model/namedTurns.ts";
import { peopleSaid } from "../../../../shared/words/people.ts";
import { turnNumbers } from "../../../../shared/words/turnNumbers.ts";
import { notLabelled } from "./notLabelled.ts";
import { paint, type Io } from "../terminal/io.ts";

/** A trajectory as text: head, reward and its components, labels, then every turn; the turns that show a label are marked. */
export function renderRollout(io: Io, found: ResultOf<"rollouts.show">): string {
  const { version, source, rollout: r, labels, trimmed, people } = withPlainTexts(found);
  const marked = new Map<number, string[]>();
  for (const l of labels)
    for (const turn of l.turns) marked.set(turn, [...(marked.get(turn) ?? []), l.label]);
  const components = Object.entries(r.components).map(([name, value]) => `${name} ${round(value)}`);
  const lines = [
    paint(io, "bold", `${r.run}/${r.id}`),
    `version ${version}, ${r.split} split${found.stepless === true ? "" : `, step ${r.step}`}, item ${r.item}, sample ${r.sample}${r.seed === null ? "" : `, seed ${r.seed}`}`,
    `outcome ${r.outcome}${r.unknown_reason === undefined ? "" : ` (${r.unknown_reason})`}${notValid(found)}, reward ${r.reward === null ? "none" : round(r.reward)}, stop reason ${r.stop_reason ?? "not recorded"}, ${r.tokens === null ? "tokens not counted" : counted(r.tokens, "token")}`,
    `components: ${components.join(", ") || "none"}`,
    `labels: ${labelsText(found)}`,
    ...peopleSaid(people).map((line) => `  ${line}`),
    ...whereToLook(readFirst(found)),
    `from ${source.path}, line ${source.line}`,
    ...(trimmed === true ? ["the text of its turns was trimmed from the archive"] : []),
  ];
  found.rollout.turns.forEach((turn, i) => {
    const call =
      turn.tool === undefined
        ? ""
        : ` ${inLine(turn.tool)}(${argsOf(turn.args)})${turn.ok === false ? " failed" : ""}`;
    const shows = marked.get(i);
    lines.push(
      "",
      paint(
        io,
        shows === undefined ? "dim" : "yellow",
        `[${i + 1}] ${inLine(turn.role)}${call}${shows === undefined ? "" : `   ◀ shows ${shows.join(", ")}`}`,
      ),
    );
    if (turn.text !== "")
      lines.push(
        ...inBlock(turn.text)
          .split("\n")
          .map((l) => `    ${l}`),
      );
  });
  return lines.join("\n");
}

function whereToLook(first: ReturnType<typeof readFirst>): string[] {
  if (first === undefined) return [];
  const { turns, because } = first;
  return [`read ${turnNumbers(turns)} first: ${because}`];
}

/** That it does not count, whatever its outcome, and by which labels. */
function notValid({ labels, diagnostics }: ResultOf<"rollouts.show">): string {
  const invalidating = new Set(diagnostics.flatMap(({ name, invalidates }) => (invalidates ? [name] : [])));
  const found = labels.flatMap(({ label }) => (invalidating.has(label) ? [inLine(label)] : []));
  return found.length === 0 ? "" : ` (not valid: ${found.join(", ")})`;
}

function argsOf(args: Readonly<Record<string, unknown>> | undefined): string {
  return Object.entries(args ?? {})
    .map(([name, value]) => `${inLine(name)}: ${jsonText(value)}`)
    .join(", ");
}

const round = (x: number): number => Math.round(x * 10_000) / 10_000;

function labelsText({ version, labels, unlabelled, rollout }: ResultOf<"rollouts.show">): string {
  const set = labels.map(({ label }) => inLine(label)).join(", ");
  if (unlabelled !== true) return set || "none";
  const most = set === "" ? "not set yet" : `${set}; those of other diagnostics are not set yet`;
  return `${most}, ${notLabelled(version, rollout.split)}`;
}
