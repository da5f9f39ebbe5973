import type { ShownTurn } from "../../../shared/protocol/views/rollout.ts";

/** A trajectory as text for the editor's own diff: one block per turn. `lines` are the lines where turns begin. */
export function rolloutText(turns: readonly ShownTurn[]): {
  readonly text: string;
  readonly lines: readonly number[];
} {
  const lines: number[] = [];
  const text: string[] = [];
  for (const turn of turns) {
    lines.push(text.length);
    text.push(`── ${headline(turn)}`, ...bodyLines(turn), "");
  }
  return { text: text.join("\n"), lines };
}

/** No number stands in it: turns that moved are still the same turns to a diff. */
function headline({ role, tool, ok }: ShownTurn): string {
  const parts = [role, tool ?? "", ok === undefined ? "" : ok ? "succeeded" : "failed"];
  return parts.filter((part) => part !== "").join(" · ");
}

function bodyLines({ text, args }: ShownTurn): string[] {
  const given = Object.entries(args ?? {}).flatMap(([name, value]) => {
    const [first = "", ...rest] = (typeof value === "string" ? value : JSON.stringify(value)).split(/\r?\n/);
    return [`${name}: ${first}`, ...rest.map((line) => `  ${line}`)];
  });
  return [...given, ...(text === "" ? [] : text.split(/\r?\n/))];
}
