import snippets from "../../../../media/snippets.json" with { type: "json" };
import type { SpecKind } from "../syntax/specKind.ts";
import type { Completion, CompletionContext } from "./item.ts";

/** What may be begun in a file of each kind: the `kind` that it says is in its body. */
const kinds: Readonly<Record<string, readonly SpecKind[]>> = {
  Project: ["project"],
  Diagnostic: ["diagnostic"],
  Intervention: ["intervention"],
  Skill: ["skill"],
  Reward: ["reward"],
  Evidence: ["evidence", "lineage"],
  Lineage: ["evidence", "lineage"],
};

/** Comments and blank lines, and a word at the most. */
const hardlyBegun = /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*[A-Za-z]*\s*$/;

/** A whole spec with places to fill in, where nothing is written yet: right as it is, in a project like the one it shows. */
export function startItems({ spec }: CompletionContext, offset: number): Completion[] {
  if (!hardlyBegun.test(spec.text)) return [];
  let start = offset;
  while (start > 0 && /[A-Za-z]/.test(spec.text.charAt(start - 1))) start--;
  return Object.entries(snippets).flatMap(([name, { body, description, prefix }]) => {
    const text = body.join("\n");
    const kind = /^kind: (\w+)$/m.exec(text)?.[1] ?? "";
    if (!kinds[kind]?.includes(spec.kind)) return [];
    return {
      label: prefix[0] ?? name,
      kind: "spec" as const,
      detail: `a whole spec: ${name}`,
      documentation: description,
      replace: { start, end: offset },
      text,
      plain: withDefaults(text),
      snippet: true,
      required: true,
    };
  });
}

/** What a snippet leaves when every default is taken. */
export const withDefaults = (snippet: string): string =>
  snippet
    .replace(/\$\{\d+\|([^,|]*)[^|]*\|\}/g, "$1")
    .replace(/\$\{\d+:((?:\\.|[^\\}])*)\}/g, (_, text: string) => text.replace(/\\(.)/g, "$1"))
    .replace(/\$\d+/g, "");
