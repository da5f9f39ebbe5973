import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VersionGaps } from "../../shared/protocol/results/gaps.ts";
import { evotrainer } from "./cli.ts";

/** Gives a component the weight 2. */
function weighted(text: string, component: string): string {
  const at = text.indexOf(`  ${component}:`);
  return text.slice(0, at) + text.slice(at).replace("weight: 0", "weight: 2");
}

describe("the gap finder", function () {
  this.timeout(600_000);
  const folder = mkdtempSync(join(tmpdir(), "evo-gaps-"));
  const root = join(folder, "project");
  after(() => rmSync(folder, { recursive: true, force: true }));

  function run(...args: string[]): string {
    const { code, stdout, stderr } = evotrainer(root, ...args);
    assert.equal(code, 0, stderr);
    return stdout;
  }

  /** Trains with the example's trainer and a harness that one line differs in, and imports what it wrote. */
  function train(name: string, seed: number, change: (file: string, text: string) => string): void {
    const place = join(folder, name);
    assert.equal(evotrainer(folder, "init", name, "--template", "swe").code, 0);
    for (const file of ["train.yaml", "environment.yaml", "main.reward.yaml"]) {
      const path = join(place, "harness", file);
      writeFileSync(path, change(file, readFileSync(path, "utf8").replace("steps: 80", "steps: 24")));
    }
    mkdirSync(join(place, "out"));
    const isBase = name === "base";
    const { status, stderr } = spawnSync(process.execPath, ["trainer/trainer.mjs"], {
      cwd: place,
      encoding: "utf8",
      env: {
        ...process.env,
        ...{ EVO_RUN_DIR: join(place, "out"), EVO_SPLITS: isBase ? "selection" : "train,selection" },
        ...(isBase ? {} : { EVO_POLICY_IN: join(folder, "base/policy") }),
        ...{ EVO_POLICY_OUT: join(place, "policy"), EVO_SEED: String(seed), EVO_RUN_ID: name },
        ...{ EVO_HARNESS: "x", EVO_BUDGET_SECONDS: "600" },
      },
    });
    assert.equal(status, 0, stderr);
    run("import", join(place, "out/rollouts.jsonl"), "--version", name, "--run", name);
  }

  before(() => {
    assert.equal(evotrainer(folder, "init", "project", "--template", "swe").code, 0);
    train("base", 1, (_, text) => text);
    for (const seed of [2, 3])
      train(`efficiency-${seed}`, seed, (file, text) =>
        file === "main.reward.yaml" ? weighted(text, "efficiency") : text,
      );
  });

  const gaps = (...args: string[]): VersionGaps =>
    VersionGaps.parse(JSON.parse(run("gaps", ...args, "--json")));
  const withoutAll = (labels: readonly string[]): string[] => labels.flatMap((label) => ["--without", label]);

  // What says the same in other words goes with it: a draft that repeats a label in force is left out.
  const label = "one-turn-exit";
  const left = withoutAll([label, "abandon", "stop-abandon", "short-rollout", "never-edits"]);
  for (const seed of [2, 3])
    it(`finds ${label} again that was taken away, on items it has not seen, after training with seed ${seed}`, () => {
      const found = gaps(`efficiency-${seed}`, "--split", "train", ...left);
      const overlaps = found.drafts.map(
        ({ withheld }) => withheld.find((one) => one.label === label)?.jaccard ?? 0,
      );
      const best = Math.max(0, ...overlaps);
      assert.ok(best >= 0.8, `${best} of ${found.drafts.map(({ when }) => when).join("\n")}`);
      assert.ok(found.drafts.length <= 24, `${found.drafts.length} drafts are too many to read`);
    });

  it("drafts nothing that a label in force says already", () => {
    const found = gaps("efficiency-2", "--split", "train");
    for (const { name, overlaps } of found.drafts)
      assert.ok(
        overlaps.every(({ jaccard }) => jaccard < 0.9),
        name,
      );
  });

  it("gives the same for the same seed, and other halves for another", () => {
    const [once, again, other] = [
      gaps("efficiency-2", "--split", "train", ...left),
      gaps("efficiency-2", "--split", "train", ...left),
      gaps("efficiency-2", "--split", "train", ...left, "--seed", "9"),
    ];
    assert.deepEqual(once, again);
    assert.notDeepEqual(once.induced, other.induced);
  });

  it("writes a draft that check accepts, once", () => {
    const asked = ["efficiency-2", "--split", "train", ...left];
    const [draft] = gaps(...asked).drafts;
    assert.ok(draft !== undefined && draft.examples.length > 0);
    assert.match(run("gaps", ...asked, "--write", draft.name), /is written/);
    // That nothing uses the new label yet is all that check has to say of it.
    const said = evotrainer(root, "check").stdout.split("\n");
    const ofDraft = said.filter((line) => line.includes(`/${draft.name}.diagnostic.yaml:`));
    assert.equal(ofDraft.length, 1, said.join("\n"));
    assert.match(ofDraft[0] ?? "", /: info: Nothing uses the label /);
    const [twice, unknown] = [draft.name, "no-such-draft"].map((name) =>
      evotrainer(root, "gaps", ...asked, "--write", name),
    );
    // Its own name is in use now, so that the draft of the same condition repeats it.
    assert.match(`${twice?.stderr}`, /There is no draft|exists already/);
    assert.match(`${unknown?.stderr}`, /There is no draft no-such-draft; there are: /);
  });

  it("says which version or label it does not know", () => {
    assert.match(evotrainer(root, "gaps", "v99").stderr, /There is no version v99/);
    assert.match(
      evotrainer(root, "gaps", "base", "--without", "nothing").stderr,
      /There is no label nothing: no diagnostic over rollouts has this name/,
    );
  });
});
