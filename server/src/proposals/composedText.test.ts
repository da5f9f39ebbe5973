import assert from "node:assert/strict";
import { change } from "../../../test/support/proposals/fileChange.ts";
import type { Lineage } from "../lineage/graph.ts";
import type { VersionRecord } from "../lineage/records/versionRecord.ts";
import { linksIn } from "../project/frozen/links.ts";
import { editedFiles } from "../project/editedFiles.ts";
import { loadProjectSpec } from "../project/project.ts";
import type { FileSource } from "../project/source.ts";
import { isParameter, type GivenEdit } from "../../../shared/spec/edit.ts";
import type { ComposePorts } from "./composedDraft.ts";
import { mergeDrafts } from "./mergeDrafts.ts";
import { subtractDrafts } from "./subtractDrafts.ts";

type Files = Readonly<Record<string, string>>;

const reward = "def score(x):\n    return x == 8\n\n\n\n\n\n\n\ndef bonus(x):\n    return 0.0\n";
const start: Files = {
  "evotrainer.yaml": `apiVersion: evotrainer/v1
kind: Project
name: p
domain: d
trainer: { command: [x] }
evaluation:
  splits: { train: data/train.jsonl, selection: data/selection.jsonl, audit: data/audit.jsonl }
  files: [eval/grade.py]
surfaces:
  - { factor: reward, kind: text, files: ["reward/**"] }
  - { factor: optimisation, file: train.yaml }
`,
  "reward/score.py": reward,
  "train.yaml": "lr: 0.001\n",
  "data/train.jsonl": '{"id":"1"}\n',
};
const graded = (files: Files): Files => ({
  ...files,
  "reward/score.py": (files["reward/score.py"] ?? "").replace("x == 8", "x / 8"),
});
const paid = (files: Files): Files => ({
  ...files,
  "reward/score.py": (files["reward/score.py"] ?? "").replace("return 0.0", "return 0.5"),
});
const faster = (files: Files): Files => ({ ...files, "train.yaml": "lr: 0.002\n" });

const sourceOf = (files: Files): FileSource => ({
  name: "a version",
  read: (path) => Promise.resolve(files[path]),
  list: () => Promise.resolve([]),
  links: () => Promise.resolve(linksIn(new Map())),
});

/** Ports over versions by their commit. */
const portsOf = (commits: Readonly<Record<string, Files>>): ComposePorts => ({
  source: (commit) => sourceOf(commits[commit] ?? {}),
  changes: (base, proposed) => {
    const [was, is] = [commits[base] ?? {}, commits[proposed] ?? {}];
    return Promise.resolve(
      Object.keys(is).flatMap((path) =>
        was[path] === is[path] ? [] : [change(path, was[path] ?? null, is[path] ?? null)],
      ),
    );
  },
});

const version = (name: string, parent: string | null, factor: string | null, score: number): VersionRecord =>
  ({
    ...{ name, commit: name, parent, factor, title: name, standing: "earlier", jobs: [], claims: [] },
    ...(parent === null || parent === "v0"
      ? {}
      : { hypothesis: { targets: [], predictedFixes: [], predictedRisks: [] } }),
    decision: { decision: "keep", comparison: null },
    evidence: { selection: { score: { value: score } } },
  }) as unknown as VersionRecord;

const lineage = (...versions: VersionRecord[]): Lineage => ({ domain: "d", versions, problems: [] });

describe("versions whose kept edits are lines of texts", () => {
  const v1 = version("v1", "v0", null, 0.3);
  const [v2, v3] = [version("v2-graded", "v1", "reward", 0.5), version("v3-other", "v1", "reward", 0.4)];

  for (const [what, theirs] of [
    ["another text edit", paid],
    ["another value", faster],
  ] as const)
    it(`are merged with ${what}: the draft is what both changed, as a patch that applies`, async () => {
      const commits = { v1: start, "v2-graded": graded(start), "v3-other": theirs(start) };
      const request = {
        ...{ lineage: lineage(v1, v2, v3), of: [v2, v3] as const, count: 1 },
        declared: await loadProjectSpec(sourceOf(start)),
      };
      const { drafts, passedOver } = await mergeDrafts(request, portsOf(commits));
      assert.deepEqual(passedOver, []);
      const [draft] = drafts;
      assert.ok(draft !== undefined);
      assert.equal(draft.parent.name, "v2-graded");
      const made = await editedFiles(
        draft.spec.name,
        draft.spec.edit.filter((edit): edit is GivenEdit => !isParameter(edit)),
        sourceOf(graded(start)),
      );
      const wanted = theirs(graded(start));
      for (const { path, after } of made) assert.equal(after, wanted[path]);
      assert.deepEqual(
        made.map(({ path }) => path),
        draft.files.map(({ path }) => path),
      );
    });

  it("are left out again, also after another change of the same file", async () => {
    const child = version("v4-paid", "v2-graded", "reward", 0.6);
    const champion = paid(graded(start));
    const commits = { v1: start, "v2-graded": graded(start), "v4-paid": champion };
    const request = {
      ...{ lineage: lineage(v1, v2, child), champion: child, without: v2, count: 1 },
      declared: await loadProjectSpec(sourceOf(start)),
    };
    const { drafts, passedOver } = await subtractDrafts(request, portsOf(commits));
    assert.deepEqual(passedOver, []);
    const [draft] = drafts;
    assert.ok(draft !== undefined);
    const made = await editedFiles(
      draft.spec.name,
      draft.spec.edit.filter((edit): edit is GivenEdit => !isParameter(edit)),
      sourceOf(champion),
    );
    assert.equal(made.find(({ path }) => path === "reward/score.py")?.after, paid(start)["reward/score.py"]);
  });

  it("are not merged where both change the same lines, and the sentence names the file", async () => {
    const commits = {
      v1: start,
      "v2-graded": graded(start),
      "v3-other": { ...start, "reward/score.py": reward.replace("x == 8", "x > 4") },
    };
    const request = {
      ...{ lineage: lineage(v1, v2, v3), of: [v2, v3] as const, count: 1 },
      declared: await loadProjectSpec(sourceOf(start)),
    };
    const { drafts, passedOver } = await mergeDrafts(request, portsOf(commits));
    assert.deepEqual(drafts, []);
    assert.match(passedOver[0] ?? "", /both change reward\/score\.py/);
  });
});
