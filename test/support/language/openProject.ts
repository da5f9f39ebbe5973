import assert from "node:assert/strict";
import type { ArchiveFacts } from "../../../shared/protocol/views/archiveFacts.ts";
import type { FeatureContext } from "../../../server/src/language/symbols/featureContext.ts";
import { SymbolIndex } from "../../../server/src/language/symbols/symbolIndex.ts";
import { parseSpec, type Span } from "../../../server/src/language/syntax/parseSpec.ts";
import { specKindIn } from "../../../server/src/language/syntax/specKind.ts";
import { projectOf } from "./markedText.ts";
import { sampleProject } from "./sampleProject.ts";

/** Marks the place for which a feature is called. */
const cursor = "§";
const root = "/project";

/** A project of texts as the features see it; one of the texts may contain the cursor. */
export function openProject(marked: Readonly<Record<string, string>>, facts?: ArchiveFacts) {
  const all = { ...sampleProject, ...marked };
  const files = Object.fromEntries(
    Object.entries(all).map(([file, text]) => [file, text.replace(cursor, "")]),
  );
  const [open, text] = Object.entries(all).find(([, found]) => found.includes(cursor)) ??
    Object.entries(marked)[0] ?? ["", ""];
  const symbols = new SymbolIndex();
  const specs = Object.entries(files).flatMap(([file, content]) => {
    const kind = specKindIn(file, content);
    return kind ? [{ file: `${root}/${file}`, spec: parseSpec(kind, content) }] : [];
  });
  for (const { file, spec } of specs) symbols.update(file, root, spec);
  const contextOf = (file: string): FeatureContext => {
    const found = specs.find((spec) => spec.file === `${root}/${file}`);
    assert.ok(found, `${file} is no spec`);
    const project = projectOf(files, facts && { facts });
    return { ...found, root, project, symbols: symbols.in(root, found.file) };
  };
  /** A place as a person would write it: the file without the project's folder, the line from 1, and the text there. */
  const shown = ({ file, span }: { readonly file: string; readonly span: Span }): string => {
    const name = file.startsWith(`${root}/`)
      ? file.slice(root.length + 1)
      : file.slice(file.lastIndexOf("/") + 1);
    const content = files[name] ?? "";
    const line = content.slice(0, span.start).split("\n").length;
    return `${name}:${line} ${content.slice(span.start, span.end)}`;
  };
  return { context: contextOf(open), offset: Math.max(0, text.indexOf(cursor)), files, contextOf, shown };
}

/** A text after edits of it. */
export function edited(
  text: string,
  edits: readonly { readonly span: Span; readonly text: string }[],
): string {
  return [...edits]
    .sort((a, b) => b.span.start - a.span.start)
    .reduce((done, { span, text: by }) => done.slice(0, span.start) + by + done.slice(span.end), text);
}

/** A diagnostic, a version rule about it, and an intervention that answers it. */
export const namedProject: Readonly<Record<string, string>> = {
  "harness/diagnostics/loops.diagnostic.yaml": `apiVersion: evotrainer/v1
kind: Diagnostic
name: loops
params: { streak: 8 }
label:
  when: longest_tool_streak >= params.streak && components.correctness < 0.5
alert: { above: 0.1 }
`,
  "harness/diagnostics/worse.diagnostic.yaml": `apiVersion: evotrainer/v1
kind: Diagnostic
name: worse
over: version
label:
  when: rate("loops") > parent_rate("loops") && last("kl") > 0.1
`,
  "harness/interventions/fewer-loops.intervention.yaml": `apiVersion: evotrainer/v1
kind: Intervention
name: fewer-loops
hypothesis: { change: components.correctness.shape, metric: kl, direction: decrease, because: spread }
targets: [loops]
factor: reward
edit:
  - { file: harness/main.reward.yaml, path: components.correctness.shape, from: flat, to: binary }
predicts: { fixes: [loops], risks: [truncation] }
success: { atLeast: 0.02 }
guardrails: [{ metric: loops, atMost: 0.2 }]
`,
};

/** The same project with the cursor inside a part of one file: `withCursor("harness/…", "name: §x")` puts it before the x. */
export function withCursor(file: string, part: string): Readonly<Record<string, string>> {
  const text = namedProject[file] ?? sampleProject[file] ?? "";
  const plain = part.replace(cursor, "");
  assert.ok(text.includes(plain), `${file} has no ${plain}`);
  return { ...namedProject, [file]: text.replace(plain, () => part) };
}
