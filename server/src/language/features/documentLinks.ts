import { statSync } from "node:fs";
import { join } from "node:path";
import { ProjectPath } from "../../../../shared/spec/common.ts";
import type { YamlTree } from "../../base/yamlTree.ts";
import type { FeatureContext } from "../symbols/featureContext.ts";
import type { Span } from "../syntax/parseSpec.ts";

export type Link = { readonly span: Span; readonly file: string };

/** Where specs name files of the project; `*` is any key or index. */
const patterns: Readonly<Partial<Record<string, readonly string[]>>> = {
  project: [
    "evaluation.splits.*",
    "evaluation.files.*",
    "surfaces.*.file",
    "frozen.*.file",
    "reward",
    "trainer.config",
  ],
  intervention: ["edit.*.file"],
};

/** The files that a spec names, as far as they are there. */
export function documentLinks({ spec, root }: FeatureContext): Link[] {
  if (root === undefined) return [];
  return (patterns[spec.kind] ?? [])
    .flatMap((pattern) => [...scalarsAt(spec.tree, pattern.split("."))])
    .filter(({ value }) => ProjectPath.safeParse(value).success)
    .map(({ span, value }) => ({ span, file: join(root, value) }))
    .filter(({ file }) => statSync(file, { throwIfNoEntry: false })?.isFile() === true)
    .sort((a, b) => a.span.start - b.span.start);
}

function* scalarsAt(
  node: YamlTree | undefined,
  [step, ...rest]: readonly string[],
): Generator<{ readonly span: Span; readonly value: string }> {
  if (step === undefined) {
    if (node?.type === "scalar" && typeof node.value === "string")
      yield { span: { start: node.start, end: node.end }, value: node.value };
  } else if (node?.type === "map") {
    for (const { key, value } of node.pairs)
      if (step === "*" || (key?.type === "scalar" && key.value === step)) yield* scalarsAt(value, rest);
  } else if (node?.type === "list" && step === "*")
    for (const item of node.items) yield* scalarsAt(item, rest);
}
