import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { evotrainer } from "./cli.ts";
import { makeEvolvedProject } from "./finishedProject.ts";

const Backtest = z.looseObject({
  beforeFrom: z.string(),
  versions: z.array(
    z.looseObject({
      version: z.string(),
      decision: z.string().nullable(),
      rollouts: z.number(),
      after: z.looseObject({ labelled: z.number() }),
      noLonger: z.object({ count: z.number(), examples: z.array(z.string()) }),
    }),
  ),
  admission: z.looseObject({ verdict: z.string(), because: z.string() }),
  letThrough: z.array(
    z.object({
      version: z.string(),
      diagnostic: z.string(),
      revision: z.string().nullable(),
      reason: z.string(),
      message: z.string(),
      waived: z.object({ by: z.string(), reason: z.string() }).nullable(),
    }),
  ),
});
const Flow = z.looseObject({
  items: z.object({
    classes: z.array(z.string()),
    counts: z.array(z.array(z.number())),
    before: z.array(z.number()),
    after: z.array(z.number()),
    total: z.number(),
  }),
  rollouts: z.looseObject({ total: z.number() }).nullable(),
});
const Labels = z.looseObject({
  shifts: z.array(
    z.looseObject({ label: z.string(), kind: z.string(), seen: z.string(), method: z.string().nullable() }),
  ),
});
const Predictions = z.looseObject({
  versions: z.array(
    z.looseObject({ version: z.string(), measured: z.boolean(), unforeseenRisks: z.array(z.string()) }),
  ),
  proposers: z.array(z.looseObject({ proposer: z.string(), versions: z.number(), measured: z.number() })),
});

const Picked = z.looseObject({
  pick: z.looseObject({
    from: z.string(),
    candidates: z.number(),
    versions: z.array(z.string()),
    because: z.string(),
    corrected: z.looseObject({ confidence: z.number() }).nullable(),
  }),
});

describe("diagnostics over time, on the command line", function () {
  this.timeout(240_000);
  let root = "";
  const leakPath = "harness/diagnostics/leak.diagnostic.yaml";
  let leak = "";
  before(() => {
    root = makeEvolvedProject();
    leak = readFileSync(join(root, leakPath), "utf8");
  });
  after(() => rmSync(root, { recursive: true, force: true }));
  const ask = <T>(schema: z.ZodType<T>, code: number, ...args: string[]): T => {
    const ran = evotrainer(root, "--json", ...args);
    assert.equal(ran.code, code, ran.stderr);
    return schema.parse(JSON.parse(ran.stdout));
  };
  const leaking = "v5-visible-history";

  it("run over every version, by the diagnostic's file or name", () => {
    const byFile = ask(Backtest, 0, "backtest", leakPath);
    assert.deepEqual(byFile, ask(Backtest, 0, "backtest", "leak"));
    assert.deepEqual(
      byFile.versions.map((v) => [v.version, v.decision, v.after.labelled > 0]),
      [
        ["v0", "base", false],
        ["v1", "keep", false],
        ["v2-linear-shape", "keep", false],
        ["v3-bonus", "reject", false],
        ["v4-faster", "reject", false],
        [leaking, "invalid", true],
      ],
    );
    assert.equal(byFile.admission.verdict, "cannot_tell");
    const { stdout } = evotrainer(root, "backtest", "echo-trap", "--against", "v1,v2");
    assert.match(stdout, /^It labels like the committed revision/m);
    const added = join(root, leakPath.replace("leak", "added"));
    writeFileSync(added, leak.replace("name: leak", "name: added"));
    assert.match(evotrainer(root, "backtest", "added").stdout, /^It labels like the revision in force/m);
    rmSync(added);
    assert.match(stdout, /^v2-linear-shape +keep +selection/m);
    assert.match(stdout, /Kept against rejected versions: nobody can tell yet/);
    assert.doesNotMatch(stdout, /v5-visible/);
  });

  it("refuse a revision that releases a quarantined version until a person accepts it with a reason", () => {
    const weaker = leak.replace("outcome ==", "n_turns > 900 && outcome ==");
    assert.notEqual(weaker, leak);
    writeFileSync(join(root, "draft.yaml"), weaker);
    const draft = ask(Backtest, 1, "backtest", "draft.yaml");
    assert.equal(draft.beforeFrom, "committed");
    assert.deepEqual(
      draft.letThrough.map((l) => [l.version, l.reason, l.waived]),
      [[leaking, "does_not_fire", null]],
    );
    assert.ok((draft.versions.at(-1)?.noLonger.examples.length ?? 0) > 0);
    assert.equal(evotrainer(root, "diagnose", "v1").code, 0, "what is found in v1 is information");
    assert.match(evotrainer(root, "diagnose", "v1").stderr, /^$/, "a draft is not in force");

    writeFileSync(join(root, leakPath), weaker);
    const refused = evotrainer(root, "diagnose", "v1");
    assert.deepEqual([refused.code, refused.stdout], [1, ""]);
    assert.match(
      refused.stderr,
      /^v5-visible-history was quarantined for leak and would be let through: .*--approve/,
    );
    assert.match(evotrainer(root, "backtest", "leak").stdout, /× v5-visible-history was quarantined/);
    assert.equal(evotrainer(root, "backtest", "leak", "--approve", " ").code, 2);

    const waived = ask(Backtest, 0, "backtest", "leak", "--approve", "the history was public");
    assert.equal(waived.letThrough[0]?.waived?.reason, "the history was public");
    assert.deepEqual(ask(Backtest, 0, "backtest", "leak").letThrough, waived.letThrough);
    assert.equal(evotrainer(root, "backtest", "leak", "--approve", "again").code, 2);
    assert.match(evotrainer(root, "diagnose", "v1").stdout, /^v1, selection split/);
    writeFileSync(join(root, leakPath), weaker.replace("900", "901"));
    assert.match(evotrainer(root, "diagnose", "v1").stderr, /would be let through/, "another revision");
  });

  it("keep a version quarantined when its diagnostic was removed, and report the missing diagnostic", () => {
    rmSync(join(root, leakPath));
    assert.match(evotrainer(root, "diagnose", "v1").stderr, /leak is gone/);
    const ran = evotrainer(root, "backtest", "leak");
    assert.deepEqual([ran.code, ran.stderr], [1, ""]);
    assert.match(ran.stdout, /would be let through: leak is gone/);
    assert.equal(evotrainer(root, "backtest", "no-such-thing").code, 2);
    writeFileSync(join(root, leakPath), leak);
    assert.equal(evotrainer(root, "diagnose", "v1").stderr, "");
  });

  it("refuse what cannot be backtested, and say why", () => {
    for (const [args, code, says] of [
      [["evotrainer.yaml"], 2, /^evotrainer\.yaml has the kind Project; /],
      [["no/such.yaml"], 2, /^There is no file no\/such\.yaml\./],
      [["leak", "--against", "v99"], 2, /^There is no version v99/],
    ] as const) {
      const ran = evotrainer(root, "backtest", ...args);
      assert.equal(ran.code, code);
      assert.match(ran.stderr, says);
    }
    writeFileSync(join(root, "bad.yaml"), leak.replace("outcome ==", "outcom =="));
    assert.match(
      evotrainer(root, "backtest", "bad.yaml").stderr,
      /^The diagnostic leak cannot be used: label\.when/,
    );
  });

  it("show how items moved and how labels shifted", () => {
    const { items, rollouts } = ask(Flow, 0, "compare", "v1", leaking, "--flow", "label");
    assert.equal(items.total, 60);
    assert.ok(rollouts !== null && rollouts.total >= 60);
    const invalid = items.classes.indexOf("invalid: leak");
    assert.ok((items.after[invalid] ?? 0) > 30);
    assert.match(
      evotrainer(root, "compare", "v1", "v2", "--flow").stdout,
      /^From v1 \(rows\) to v2-linear-shape/,
    );
    assert.equal(evotrainer(root, "compare", "v1", "v2", "--flow", "mood").code, 2);
    const { shifts } = ask(Labels, 0, "compare", "v1", leaking, "--labels");
    const shift = shifts.find((s) => s.label === "leak");
    assert.deepEqual([shift?.kind, shift?.method], ["appeared", "paired bootstrap over items"]);
    const { stdout } = evotrainer(root, "compare", leaking, "v1", "--labels");
    assert.match(stdout, /^leak .* vanished$/m);
    const never = shifts.filter((s) => s.kind === "within_noise" && s.seen === "neither");
    assert.ok(never.length > 1 && never.every(({ label }) => !stdout.includes(`\n${label} `)));
    assert.ok(stdout.includes(`\n${never.length} other labels are on no rollout of either`));
  });

  it("count in the lineage how many versions one was chosen from, without invalid ones", () => {
    const { pick } = ask(Picked, 0, "compare", "v1", "v2-linear-shape");
    assert.deepEqual(
      [pick.from, pick.versions, pick.because],
      ["lineage", ["v2-linear-shape", "v3-bonus", "v4-faster"], "the measured children of v1"],
    );
    assert.equal(pick.candidates, 3);
    assert.ok(Math.abs((pick.corrected?.confidence ?? 0) - (1 - 0.05 / 3)) < 1e-12);
    const upwards = ask(Picked, 0, "compare", "v2-linear-shape", "v1").pick;
    assert.deepEqual([upwards.candidates, upwards.corrected], [1, null]);
  });

  it("record who predicted what", () => {
    const { versions, proposers } = ask(Predictions, 0, "lineage", "--predictions");
    assert.deepEqual(
      proposers.map((p) => [p.proposer, p.versions, p.measured]),
      [["search", 4, 3]],
    );
    const invalid = versions.find((v) => v.version === leaking);
    assert.equal(invalid?.unforeseenRisks[0], "leak");
    assert.deepEqual([invalid.measured, invalid.notValid], [false, [leaking]], "it proves nobody right");
    assert.match(
      evotrainer(root, "lineage", "--predictions").stdout,
      /^search \(3 of 4 versions measured\)/m,
    );
  });

  it("stop an evolution with a diagnostic that would release a quarantined version", () => {
    const before = evotrainer(root, "--json", "lineage").stdout;
    writeFileSync(join(root, leakPath), leak.replace("invalidates: true", "invalidates: false"));
    const git = [
      "-c",
      "user.name=t",
      "-c",
      "user.email=t@example.invalid",
      "commit",
      "--quiet",
      "-am",
      "weaker",
    ];
    execFileSync("git", git, { cwd: root });
    const refused = evotrainer(root, "evolve", "--restart");
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /would be let through: leak no longer invalidates/);
    assert.equal(evotrainer(root, "--json", "lineage").stdout, before);
    assert.equal(evotrainer(root, "evolve").code, 0, "the old evolution is still the one to go on with");
  });
});
