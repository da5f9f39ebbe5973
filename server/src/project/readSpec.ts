import { isMap, LineCounter } from "yaml";
import { parsePlainYaml } from "../base/plainYaml.ts";
import { meantIssues } from "../base/unionIssues.ts";
import { parseYaml } from "../base/yaml.ts";
import type { z } from "zod";

export interface SpecProblem {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

export type ReadSpec<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly [SpecProblem, ...SpecProblem[]] };

/** Parses YAML and validates it by its schema. Never throws on bad input; problems name file and line, from 1. */
export function readSpec<T>(path: string, text: string, schema: z.ZodType<T>): ReadSpec<T> {
  const known = parsePlainYaml(text);
  const valid = known && schema.safeParse(known.value);
  if (valid?.success === true) return { ok: true, value: valid.data };
  const lines = new LineCounter();
  const document = parseYaml(text, { lineCounter: lines });
  const lineOf = (offset: number): number => lines.linePos(offset).line;
  const [yamlError, ...others] = document.errors.map((e) => ({
    path,
    line: lineOf(e.pos[0]),
    message: sentence(e.message),
  }));
  if (yamlError !== undefined) return { ok: false, problems: [yamlError, ...others] };
  let plain: unknown;
  try {
    plain = document.toJS({ maxAliasCount: 100 });
  } catch (e) {
    return {
      ok: false,
      problems: [{ path, line: 1, message: sentence(e instanceof Error ? e.message : String(e)) }],
    };
  }
  const parsed = schema.safeParse(plain);
  if (parsed.success) return { ok: true, value: parsed.data };
  const [first, ...rest] = parsed.error.issues
    .flatMap((issue) => withMeant(issue, document))
    .map((issue) => ({
      path,
      line: lineOf(offsetOf(document, issue.path)),
      message: sentence(`${issue.path.length > 0 ? `${issue.path.join(".")}: ` : ""}${issue.message}`),
    }));
  return {
    ok: false,
    problems: [first ?? { path, line: 1, message: "The file does not match its schema." }, ...rest],
  };
}

/** Of several mappings that may stand somewhere, the one that was meant says what is wrong. */
function withMeant(
  issue: z.core.$ZodIssue,
  document: ReturnType<typeof parseYaml>,
): readonly z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union" || !isMap(document.getIn(issue.path, true))) return [issue];
  const meant = meantIssues(issue);
  return meant === undefined
    ? [issue]
    : meant.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** The line, from 1, of the deepest value on the way to `at` that exists in a YAML text. */
export function lineAt(text: string, at: readonly PropertyKey[]): number {
  const lines = new LineCounter();
  const document = parseYaml(text, { lineCounter: lines });
  return lines.linePos(offsetOf(document, at)).line;
}

/** Offset of the deepest node on the way to `at` that exists. */
function offsetOf(document: ReturnType<typeof parseYaml>, at: readonly PropertyKey[]): number {
  for (let n = at.length; n > 0; n--) {
    const node: unknown = document.getIn(at.slice(0, n), true);
    if (typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range)) {
      const start: unknown = node.range[0];
      if (typeof start === "number") return start;
    }
  }
  return 0;
}

function sentence(text: string): string {
  const line = text.split("\n", 1)[0]?.trim() ?? "";
  return /[.!?]$/.test(line) ? line : `${line}.`;
}
