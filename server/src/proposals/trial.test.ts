import assert from "node:assert/strict";
import { ProjectSpec } from "../../../shared/spec/project.ts";
import { HarnessError } from "../base/errors.ts";
import { passTrial, trialOf, trialText, type SmokeEntry, type Trials } from "./trial.ts";

const commit = "a".repeat(40);
const project = (smoke: boolean): ProjectSpec =>
  ProjectSpec.parse({
    ...{ apiVersion: "evotrainer/v1", kind: "Project", name: "p", domain: "d" },
    trainer: { command: ["x"], ...(smoke ? { smoke: { command: ["node", "smoke.mjs"] } } : {}) },
    evaluation: { splits: { train: "data/t.jsonl", selection: "data/s.jsonl", audit: "data/a.jsonl" } },
    surfaces: [
      { factor: "reward", kind: "text", files: ["reward/*.py"] },
      { factor: "optimisation", file: "train.yaml" },
    ],
  });
const patched = [{ path: "reward/score.py", before: "a\n", after: "b\n" }];
const valued = [{ path: "train.yaml", before: "lr: 1\n", after: "lr: 2\n" }];
const smokeOf = (ok: boolean, of = commit): SmokeEntry => ({
  ...{ id: "smoke:v2:a", at: "2026-01-01T00:00:00.000Z", domain: "d", type: "smoke", version: "v2" },
  ...{
    commit: of,
    ok,
    message: ok ? "Tried: it ended well." : "Tried: it failed. It said last: boom",
    seconds: 1,
  },
});

describe("the trial of changed code", () => {
  const asked: string[] = [];
  const trials = (ok: boolean): Trials => ({
    run: ({ commit: of }) => {
      asked.push(of);
      return Promise.resolve(smokeOf(ok, of));
    },
  });
  const pass = (
    { smoke = true, files = patched, smokes = [] as readonly SmokeEntry[] },
    given: Trials | undefined,
  ): Promise<void> =>
    passTrial(
      { name: "v2", smokes },
      {
        ...{ spec: project(smoke), files, trials: given },
        commit: () => Promise.resolve(commit),
      },
    );
  const refusal = async (work: Promise<void>): Promise<string> => {
    try {
      await work;
      return "approved";
    } catch (e) {
      assert.ok(HarnessError.is(e));
      return e.message;
    }
  };
  beforeEach(() => void asked.splice(0));

  it("is made once, and lets what works be approved", async () => {
    assert.equal(await refusal(pass({}, trials(true))), "approved");
    assert.deepEqual(asked, [commit]);
    assert.equal(await refusal(pass({ smokes: [smokeOf(true)] }, trials(false))), "approved");
    assert.deepEqual(asked, [commit]);
  });
  it("refuses what does not work, with its last lines, then and later", async () => {
    for (const smokes of [[], [smokeOf(false)]])
      assert.match(
        await refusal(pass({ smokes }, trials(false))),
        /^Not approved: Tried: it failed\. It said last: boom Revise or reject it; .* `evotrainer review v2 try`/,
      );
    assert.equal(asked.length, 1);
  });
  it("counts for the commit that was tried", async () => {
    await pass({ smokes: [smokeOf(true, "b".repeat(40))] }, trials(true));
    assert.deepEqual(asked, [commit]);
  });
  it("goes by the latest", async () =>
    assert.equal(await refusal(pass({ smokes: [smokeOf(false), smokeOf(true)] }, undefined)), "approved"));
  it("is not passed where no job can run", async () =>
    assert.match(await refusal(pass({}, undefined)), /^Not approved: this process runs no jobs/));
  it("is not needed for values, nor where no command tries anything", async () => {
    assert.equal(await refusal(pass({ files: valued }, undefined)), "approved");
    assert.equal(await refusal(pass({ smoke: false }, undefined)), "approved");
  });
  it("is said in a sentence", () => {
    const told = (smoke: boolean, files = patched, smokes: readonly SmokeEntry[] = []): string | null =>
      trialText(trialOf({ smokes }, { spec: project(smoke), files, commit }));
    assert.equal(told(true, valued), null);
    assert.match(told(false) ?? "", /no trainer\.smoke\. Only a person can approve it\.$/);
    assert.match(
      told(true) ?? "",
      /first runs `node smoke\.mjs` in a checkout of it, for at most 60 s\.$|at most 1 min/,
    );
    assert.equal(told(true, patched, [smokeOf(true)]), "Tried: it ended well.");
  });
});
