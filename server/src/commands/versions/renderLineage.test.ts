import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { measuredElsewhere } from "../../../../shared/words/numbers.ts";
import type { LineageReport, VersionReport } from "../../../../shared/ledger/lineage.ts";
import type { Io } from "../terminal/io.ts";
import { addHumanLabel, humanLabelsPath } from "../../diagnosis/judge/humanLabels.ts";
import { placeOf } from "../../engine/workspace/place.ts";
import { engineFolderOf } from "../../engine/workspace/workspace.ts";
import { peopleOn } from "../../../../test/support/diagnosis/peopleOn.ts";
import { peopleBeside } from "./peopleBeside.ts";
import { renderVersion } from "./renderVersion.ts";
import { renderLineage } from "./renderLineage.ts";

const io: Io = {
  json: false,
  color: false,
  live: false,
  terminal: false,
  columns: 100,
  out: () => {},
  err: () => {},
};
const origin = {
  format: "autoresearch",
  lineage: "log",
  key: "k",
  parents: [],
  status: null,
  note: "",
  missing: false,
  digest: "",
};
const version = (name: string, more: Partial<VersionReport> = {}): VersionReport => ({
  name,
  commit: "",
  parent: null,
  generation: 0,
  factor: null,
  intervention: null,
  author: null,
  title: `title of ${name}`,
  hypothesis: null,
  backtest: null,
  score: null,
  low: null,
  high: null,
  measured: null,
  cleanScore: null,
  audit: null,
  decision: "pending",
  reason: "why",
  comparison: null,
  evidence: [],
  labels: [],
  signals: {},
  failure: null,
  promoted: false,
  promotion: null,
  origin,
  alias: null,
  tags: [],
  notes: [],
  at: "2026-01-01T00:00:00Z",
  ...more,
});
const measured = (value: number | null, metric = "val_bpb") =>
  ({ metric, value, direction: "lower", unit: null }) as const;
const render = (versions: readonly VersionReport[]): string =>
  renderLineage(io, { project: "p", domain: "log", versions: [...versions] } satisfies LineageReport);

describe("renderLineage of an imported lineage", () => {
  it("shows what was decided, what is best, what failed and what is not recorded", () => {
    const text = render([
      version("start", { origin: { ...origin, missing: true } }),
      version("a", { parent: "start", decision: "keep", measured: measured(0.9) }),
      version("b", { parent: "a", decision: "reject", measured: measured(null), failure: "crash" }),
      version("c", { parent: "a", measured: measured(1.25) }),
    ]);
    assert.match(text, /^Lineage log, imported from autoresearch into log$/m);
    assert.match(
      text,
      /^3 versions: 1 keep, 1 reject, 1 undecided\. Measured: val_bpb, lower is better; best 0\.9 in a; 1 have no value\. 1 failed\. 1 parent is not recorded \(◌\)\.$/m,
    );
    assert.match(text, /◌ start .* missing/);
    assert.match(text, /└─ \? c +1\.25 +undecided/);
    assert.doesNotMatch(text, /Failure labels/);
  });
  it("names no best version when versions have different metrics, or when it is unknown which direction is better", () => {
    assert.match(
      render([version("a", { measured: measured(1) }), version("b", { measured: measured(2, "ms") })]),
      /by 2 metrics/,
    );
    assert.match(
      render([version("a", { measured: { ...measured(1), direction: null } })]),
      /which way is better is not known/,
    );
  });
  it("leaves the reasons of hundreds of rejected trials to --json", () => {
    const text = render([
      version("kept", { decision: "keep", reason: String.raw`one\n two` }),
      ...Array.from({ length: 100 }, (_, i) => version(`r${i}`, { decision: "reject" })),
    ]);
    assert.match(text, /^kept keep: one \/ two$/m);
    assert.match(text, /^… and 100 more/m);
  });
});

describe("renderLineage of labels", () => {
  it("says where rollouts are undecided, and shows no 0 % where nothing was decided", () => {
    const made = (name: string, labels: VersionReport["labels"]): VersionReport =>
      version(name, { origin: null, decision: "keep", labels });
    const text = render([
      made("v1", [{ name: "leak", rate: 0.25, alert: null }]),
      made("v2", [{ name: "leak", rate: null, bounds: [0, 1], alert: null }]),
      made("v3", [{ name: "leak", rate: 0.5, bounds: [0.4, 0.6], alert: null }]),
    ]);
    assert.match(text, /^leak +25\.0 % +\? +50\.0 % \?$/m);
    assert.match(text, /; \? some rollouts are undecided, or all of them$/m);
  });
});

describe("renderLineage of labels on nearly the same rollouts", () => {
  it("has a row for each, because their numbers differ; one on the same rollouts has none", () => {
    const labels: VersionReport["labels"] = [
      { name: "leak", rate: 0.25, alert: null },
      { name: "history", rate: 0.25, alert: null, under: "leak" },
      { name: "show", rate: 0.24, alert: null, under: "leak" },
    ];
    const text = render([version("v1", { origin: null, decision: "keep", labels })]);
    assert.match(text, /^leak \(also history\) +25\.0 %\nshow +24\.0 %$/m);
  });
});

describe("renderLineage of groups", () => {
  it("lists them apart from the labels of rollouts, with the split that they were counted in", () => {
    const text = render([
      version("v1", {
        origin: null,
        decision: "keep",
        labels: [
          { name: "leak", rate: 0.25, alert: null },
          { name: "history", rate: 0.25, alert: null, under: "leak" },
          { name: "solved-group", rate: 0.5, alert: null, over: "group", split: "train" },
        ],
      }),
    ]);
    assert.match(
      text,
      /^Failure labels, share of the selection rollouts\nlabel +v1\nleak \(also history\) +25\.0 %\n[^]*\nGroups, share of the groups of the train split\nlabel +v1\nsolved-group +50\.0 %$/m,
    );
  });
});

describe("figure", () => {
  for (const [value, text] of [
    [3818, "3818"],
    [1.58402849, "1.58403"],
    [-0.1 - 0.2, "−0.3"],
    [16_000_000.5, "16000000.5"],
  ] as const)
    it(text, () => assert.equal(measuredElsewhere(value), text));
});

describe("renderLineage of a long search", () => {
  it("shows the newest versions of a line deeper than the call stack, no wider than the screen", () => {
    const versions = Array.from({ length: 30_000 }, (_, i) =>
      version(`v${i}`, {
        origin: null,
        decision: "keep",
        parent: i === 0 ? null : `v${i - 1}`,
        labels: [{ name: "echo-trap", rate: i === 3 ? 0.5 : 0.25, alert: null }],
      }),
    );
    const lines = render(versions).split("\n");
    assert.ok(lines.length < 1200, `${lines.length} lines`);
    const row = lines.find((line) => /\bv29999 /.test(line)) ?? assert.fail("the newest is shown");
    assert.ok(row.length < 200, row);
    assert.equal(lines.filter((line) => /\bv(0|28999) /.test(line)).length, 0);
    assert.match(
      lines.join("\n"),
      /… and 29,000 older versions; `evotrainer --json lineage` has all of them\./,
    );
    assert.match(lines.find((line) => line.startsWith("echo-trap")) ?? "", /^echo-trap( +25\.0 %){24}$/);
    assert.match(lines.join("\n"), /\nv29940 keep: why\n[^]*\nv29999 keep: why\n/);
  });
});

describe("one version of a lineage", () => {
  it("says what all seeds make of a difference that was decided on fewer", () => {
    const decided: NonNullable<VersionReport["comparison"]> = {
      ...{ against: "v1", difference: 0.232, low: 0.104, high: 0.36, confidence: 0.999 },
      ...{ items: 120, itemsNeeded: null },
      verdict: "improved",
      seeds: [4, 2],
    };
    const trial = { seeds: [1, 2, 3, 4], cost: null } as NonNullable<VersionReport["trial"]>;
    const v1 = version("v1", { score: 0.311, trial });
    const v2 = version("v2", { parent: "v1", score: 0.477, comparison: decided, trial });
    const report = { project: "p", domain: "log", versions: [v1, v2] };
    const text = (v: VersionReport): string => renderVersion(io, v, report).replaceAll(/\s+/g, " ");
    assert.match(
      text(v2),
      /because why since On all seeds by now, 4 against 4: \+16\.6 points against v1\. `evotrainer compare v1 v2` gives the interval\./,
    );
    const asDecided: VersionReport = { ...v2, comparison: { ...decided, seeds: [4, 4] } };
    assert.doesNotMatch(text(asDecided), /since/);
    // Of a decision by an earlier release nobody knows how many seeds it went by.
    const earlier: VersionReport = { ...v2, comparison: { ...decided, seeds: undefined } };
    assert.doesNotMatch(text(earlier), /since/);
  });
});

describe("lists of labels in a lineage", () => {
  const people = [peopleOn("loops")];
  const loops = { name: "loops", labelled: 2, rollouts: 4, rate: 0.5, alert: null } as const;
  const report = { project: "p", domain: "log", versions: [version("v1", { labels: [loops] })] };
  const says =
    "loops: people, held-out items: precision 75.0 % [30.1, 95.4] (3 of 4 right), recall unknown (nobody was asked about rollouts without it)";
  const plain = (text: string): string => text.replaceAll(/\s+/g, " ");

  it("have the precision and recall by people's answers below them", () => {
    assert.ok(plain(renderLineage(io, { ...report, people })).includes(says));
    const [one] = report.versions;
    assert.ok(one);
    assert.ok(plain(renderVersion(io, { ...one, people }, report)).includes(`labels loops 50.0 % ${says}`));
    assert.doesNotMatch(renderVersion(io, one, report), /people/);
  });

  it("ask no archive where nobody answered, and say why they have nothing where it cannot be asked", async () => {
    const folder = await mkdtemp(join(tmpdir(), "evotrainer-people-"));
    const said: string[] = [];
    const listening = { ...io, err: (text: string) => said.push(text) };
    assert.deepEqual(await peopleBeside(listening, folder, ["loops"]), []);
    assert.deepEqual(said, []);
    const path = humanLabelsPath(engineFolderOf(folder));
    await mkdir(dirname(path), { recursive: true });
    const answer = {
      run: "r",
      id: "1",
      label: "loops",
      labelled: true,
      by: "ada",
      at: "2026-01-01T00:00:00Z",
    };
    await addHumanLabel(path, answer);
    await mkdir(placeOf(folder).archive);
    assert.deepEqual(await peopleBeside(listening, folder, ["loops"]), []);
    assert.match(said.join(""), /^What people said of the labels is missing here: /);
    await rm(folder, { recursive: true });
  });
});
