import { z } from "zod";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { projectIn } from "../syntax/typedSpec.ts";
import { defineRule, type Finding } from "../rule/rule.ts";
import { locate, spanFor, type Path } from "../syntax/parseSpec.ts";
import { projectFileName } from "../syntax/specKind.ts";

const Data = z.object({ path: z.array(z.union([z.string(), z.number()])), before: z.string().nullable() });
type Data = z.infer<typeof Data>;

export const evaluationChanged = defineRule<Data>({
  meta: {
    id: "evaluation-changed",
    severity: "error",
    kinds: ["project"],
    docs: "The evaluation is the same as the parent's: the same splits, files and metric, with the same content. You cannot compare scores that were measured differently.",
    example: {
      wrong: `# the parent has data/selection.jsonl\nsplits: { train: data/train.jsonl, selection: data/selection-easy.jsonl, audit: data/audit.jsonl }`,
      right: `splits: { train: data/train.jsonl, selection: data/selection.jsonl, audit: data/audit.jsonl }`,
    },
  },
  data: Data,
  *check({ spec, project }) {
    const now = projectIn(spec);
    const parent = project?.parent;
    if (!now || !project || !parent) return;
    const before = projectIn(parent.read(projectFileName));
    const finding = (path: Path, message: string, value: string | null): Finding<Data> => ({
      span: spanFor(spec, path),
      message,
      data: { path: [...path], before: value },
    });
    for (const { path, is, was } of before ? protocolOf(now, before) : [])
      if (is !== was)
        yield finding(path, `${path.join(".")} is ${is}, but ${parent.name} was measured with ${was}.`, was);
    const removed = (before?.evaluation.files ?? []).filter((file) => !now.evaluation.files.includes(file));
    for (const file of removed)
      yield finding(
        ["evaluation", "files"],
        `${file} is part of the evaluation of ${parent.name}, but it is missing here.`,
        null,
      );
    const { splits, files } = now.evaluation;
    const places: readonly (readonly [Path, string])[] = [
      [["evaluation", "splits", "selection"], splits.selection],
      [["evaluation", "splits", "audit"], splits.audit],
      ...files
        .map((file, i): readonly [Path, string] => [["evaluation", "files", i], file])
        .filter(([, file]) => file !== splits.selection && file !== splits.audit),
    ];
    for (const [path, file] of places) {
      const [is, was] = [project.text(file), parent.text(file)];
      // A folder, a long file, or one that the parent had under another name is for the job's own check.
      if (is !== undefined && was !== undefined && is !== was)
        yield finding(
          path,
          `The content of ${file} differs from the one that ${parent.name} was evaluated with.`,
          null,
        );
    }
  },
  fix({ spec }, { path, before }) {
    const span = locate(spec, path).value;
    return span && before !== null
      ? [{ title: `Change back to ${before}`, edits: [{ span, text: before }] }]
      : [];
  },
});

/** What says how a version is measured, here and in its parent. */
function protocolOf(
  now: ProjectSpec,
  before: ProjectSpec,
): { readonly path: Path; readonly is: string; readonly was: string }[] {
  return [
    ...(["selection", "audit"] as const).map((split) => ({
      path: ["evaluation", "splits", split],
      is: now.evaluation.splits[split],
      was: before.evaluation.splits[split],
    })),
    { path: ["metric", "name"], is: now.metric.name, was: before.metric.name },
    { path: ["metric", "aggregator"], is: now.metric.aggregator, was: before.metric.aggregator },
  ];
}
