import type { ArchiveFacts } from "../../../shared/protocol/views/archiveFacts.ts";
import assert from "node:assert/strict";
import type { TriedConditions } from "../../../server/src/language/archive/triedConditions.ts";
import { diagnose } from "../../../server/src/language/features/diagnostics.ts";
import { parentVersion } from "../../../server/src/language/project/parentVersion.ts";
import { projectIn } from "../../../server/src/language/syntax/typedSpec.ts";
import type { AnyRule, NamedSpec, ProjectContext } from "../../../server/src/language/rule/rule.ts";
import { parseSpec, parseText } from "../../../server/src/language/syntax/parseSpec.ts";
import { specKindIn, type SpecKind } from "../../../server/src/language/syntax/specKind.ts";

type Files = Readonly<Record<string, string>>;
/** The context of a project of texts: the content of its archive, and the files of the parent version. */
export type Around = {
  readonly facts?: ArchiveFacts;
  readonly parent?: Files;
  readonly tried?: TriedConditions;
};

/** Lines of carets below a line of text, with what should be found there: `^^^^ code: part of the message`. */
const marker = /^\s*#?\s*(\^+)\s*([a-z-]+)(?::\s*(.*))?$/;

type Expected = { line: number; column: number; length: number; code: string; message: string };

function unmark(marked: string): { text: string; expected: Expected[] } {
  const lines: string[] = [];
  const expected: Expected[] = [];
  for (const line of marked.replace(/^\n/, "").split("\n")) {
    const found = marker.exec(line);
    if (!found) {
      lines.push(line);
      continue;
    }
    const [, carets = "", code = "", message = ""] = found;
    expected.push({
      line: lines.length - 1,
      column: line.indexOf("^"),
      length: carets.length,
      code,
      message,
    });
  }
  return { text: lines.join("\n"), expected };
}

/** A project made of texts: evotrainer.yaml and all files that its specs name. */
export function projectOf(files: Files, { facts, parent, tried }: Around = {}): ProjectContext {
  const text = (path: string) => (Object.hasOwn(files, path) ? files[path] : undefined);
  const parsed = new Map(Object.entries(files).map(([path, content]) => [path, parseText(content)]));
  const specs = Object.keys(files)
    .sort()
    .flatMap((path): NamedSpec[] => {
      const kind = specKindIn(path, text(path) ?? "");
      const spec = kind && parseSpec(kind, text(path) ?? "");
      const name = /^name: *(\S+)/m.exec(spec?.text ?? "")?.[1] ?? "";
      return spec ? [{ path, name, spec }] : [];
    });
  return {
    spec: projectIn(parsed.get("evotrainer.yaml")),
    read: (path) => parsed.get(path),
    text,
    specs: () => specs,
    parent: parent && parentVersion("v4", new Map(Object.entries({ ...files, ...parent }))),
    facts,
    tried,
  };
}

export type Marked = {
  kind: SpecKind;
  text: string;
  rules: readonly AnyRule[];
  files?: Files;
  /** The path of the text in the project, which then includes it. */
  path?: string;
} & Around;

/**
 * Checks a text against its marks: everything that is found must be marked and everything marked must be found, with the
 * same extent. Returns the titles of all fixes, and the text after the first fix of each finding.
 */
export function checkMarked({ kind, text: marked, rules, files, path, ...around }: Marked): {
  fixes: string[];
  fixed: string;
  created: Readonly<Record<string, string>>;
} {
  const { text, expected } = unmark(marked);
  const all = path === undefined ? files : { ...files, [path]: text };
  const context = { spec: parseSpec(kind, text), project: all && projectOf(all, around), path };
  const found = diagnose(context, rules);
  const actual = found.map(({ span, code, message }) => {
    const before = text.slice(0, span.start).split("\n");
    return {
      line: before.length - 1,
      column: before.at(-1)?.length ?? 0,
      length: span.end - span.start,
      code,
      message,
    };
  });
  const bare = (list: readonly Expected[]) =>
    list.map((e) => `${e.line + 1}:${e.column + 1}+${e.length} ${e.code}`);
  assert.deepEqual(bare(actual), bare(expected), `found: ${JSON.stringify(actual, null, 1)}`);
  for (const [i, { message }] of expected.entries())
    assert.ok(
      actual[i]?.message.includes(message),
      `"${actual[i]?.message ?? ""}" does not contain "${message}"`,
    );
  const fixes = found.map(
    ({ code, data }) => rules.find(({ meta }) => meta.id === code)?.fix?.(context, data) ?? [],
  );
  const edits = fixes.flatMap(([first]) => first?.edits ?? []).sort((a, b) => b.span.start - a.span.start);
  const fixed = edits.reduce(
    (done, { span, text: by }) => done.slice(0, span.start) + by + done.slice(span.end),
    text,
  );
  const created = Object.fromEntries(
    fixes.flatMap(([first]) => first?.creates ?? []).map((file) => [file.path, file.text]),
  );
  return { fixes: fixes.flat().map(({ title }) => title), fixed, created };
}
