import assert from "node:assert/strict";
import { join } from "node:path";
import { noCommits } from "./foreignCommits.ts";
import { isAutoresearch, lineageOf, readAutoresearch } from "./autoresearch.ts";
import type { ForeignLineage } from "./foreign.ts";
import { parseTable } from "./readSource.ts";
import { fixture } from "../../../../test/support/lineage/fixtures.ts";

const read = (text: string): ForeignLineage =>
  lineageOf(
    { name: "run/results.tsv", path: "/run/results.tsv" },
    parseTable(text, "f", "\t").value,
    noCommits,
  );
const header = "commit\tval_bpb\tmemory_gb\tstatus\tdescription\n";
const countOf = (values: readonly (string | null)[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const v of values) counts[String(v)] = (counts[String(v)] ?? 0) + 1;
  return counts;
};

describe("autoresearch", () => {
  it("attaches each trial to the last one that was kept", () => {
    const { nodes } = read(
      `${header}baseline\t1.0\t4\tkeep\tbaseline\nbbbbbbb\t0.9\t4\tkeep\ta\nccccccc\t1.1\t4\tdiscard\tb\nddddddd\t0.8\t4\tkeep\tc\n`,
    );
    assert.deepEqual(
      nodes.map((n) => [n.key, n.parents, n.decision]),
      [
        ["baseline", [], "base"],
        ["bbbbbbb", ["baseline"], "keep"],
        ["ccccccc", ["bbbbbbb"], "reject"],
        ["ddddddd", ["bbbbbbb"], "keep"],
      ],
    );
  });
  it("does not read the 0 of a crash as a measurement, but does read the 0 of a run", () => {
    const { nodes } = read(`${header}aaaaaaa\t0.000000\t0.0\tcrash\tx\nbbbbbbb\t0.0\t1\tkeep\ty\n`);
    assert.deepEqual(
      nodes.map((n) => n.metrics["val_bpb"]),
      [null, 0],
    );
    assert.equal(nodes[0]?.failure?.class, "crash");
    assert.match(nodes[0].unknowns[0]?.reason ?? "", /filler/);
  });
  it("leaves unknown words undecided, as they are written", () => {
    const words = ["iterate", "contender", "TOURNAMENT", "killed", "REVERT", "Keep", ""];
    const { nodes } = read(header + words.map((w, i) => `aaaaaa${i}\t1\t1\t${w}\tx`).join("\n"));
    assert.deepEqual(
      nodes.map((n) => [n.status, n.decision]),
      [
        ["iterate", null],
        ["contender", null],
        ["TOURNAMENT", null],
        ["killed", null],
        ["REVERT", "revert"],
        ["Keep", "keep"],
        [null, null],
      ],
    );
  });
  it("tells rows without a commit apart by their line, and repeated commits by a number", () => {
    const { nodes } = read(
      `${header}none\t1\t1\tdiscard\ta\nnone\t1\t1\tdiscard\tb\nabcabca\t1\t1\tkeep\tc\nabcabca\t2\t1\tkeep\td\n`,
    );
    assert.deepEqual(
      nodes.map((n) => n.key),
      ["line-2", "line-3", "abcabca", "abcabca~2"],
    );
  });
  it("says that the history before the first trials is not recorded", () => {
    const { nodes, gaps } = read(`${header}none\t0\t0\trejected\ta\n`);
    assert.deepEqual(nodes[0]?.parents, ["start"]);
    assert.deepEqual(Object.keys(gaps), ["start"]);
    assert.equal(nodes[0].metrics["val_bpb"], null);
  });
  it("says that a cell is not a number", () =>
    assert.match(
      read(`${header}aaaaaaa\t1\t1\tkeep\tx\nbbbbbbb\tfast\t1\tkeep\ty\n`).nodes[1]?.unknowns[0]?.reason ??
        "",
      /"fast"/,
    ));
  for (const [name, head, expected] of [
    ["results.tsv", header, true],
    ["results.tsv", "iteration\tdecision\tval_bpb\tcommit\tidea\n", true],
    ["results.csv", "commit,status,description\n", false],
    ["data.tsv", "a\tb\tc\n", false],
    ["empty.tsv", "", false],
  ] as const)
    it(`${expected ? "recognises" : "does not recognise"} ${JSON.stringify(head)} in ${name}`, () =>
      assert.equal(isAutoresearch(name, head), expected));

  // Counted with a script of its own: cut and sort over the columns.
  for (const [set, rows, problems, statuses] of [
    ["karpathy_exp_H100_mar8", 126, 0, { keep: 23, discard: 102, crash: 1 }],
    ["karpathy_pr577_craig", 440, 95, { rejected: 431, crash: 9 }],
    ["parameter_golf", 51, 0, { keep: 8, revert: 26, error: 9, infra_retry: 8 }],
    ["autokernel5090", 126, 0, { PASS: 67, REVERT: 31, FAIL: 14, KEEP: 5, KILL: 4, BLOCKED: 4, DEFERRED: 1 }],
  ] as const)
    it(`reads all of ${set}`, async function () {
      const folder = fixture(this, "lineage_autoresearch");
      const lineage = await readAutoresearch({
        path: join(folder, set, "results.tsv"),
        name: `${set}/results.tsv`,
        named: true,
      });
      assert.equal(lineage.nodes.length, rows);
      assert.equal(lineage.problems.length, problems);
      assert.deepEqual(countOf(lineage.nodes.map((n) => n.status)), statuses);
      assert.ok(
        lineage.nodes.every(
          (n) => n.status === null || !/crash/i.test(n.status) || n.metrics[n.primary ?? ""] === null,
        ),
      );
      if (problems > 0) assert.equal(lineage.problems[0]?.line, 164);
    });
  it("takes an idea for a plan, and a description, which is written with the result, for none", async function () {
    const folder = fixture(this, "lineage_autoresearch");
    const plansOf = async (set: string): Promise<(string | undefined)[]> => {
      const path = join(folder, set, "results.tsv");
      const { nodes } = await readAutoresearch({ path, name: "results.tsv", named: true });
      return nodes.map(({ plan }) => plan);
    };
    assert.deepEqual(new Set(await plansOf("karpathy_exp_H100_mar8")), new Set([undefined]));
    const plans = await plansOf("parameter_golf");
    assert.match(plans[1] ?? "", /^Add a short measured-training learning-rate warmup/);
    assert.ok(plans.every((plan) => plan !== undefined && !plan.includes("post_review")));
  });
  it("finds the best of karpathy_exp_H100_mar8 where its log says it is", async function () {
    const folder = fixture(this, "lineage_autoresearch");
    const { nodes, metrics } = await readAutoresearch({
      path: join(folder, "karpathy_exp_H100_mar8/results.tsv"),
      name: "results.tsv",
      named: true,
    });
    const values = nodes.flatMap((n) => n.metrics["val_bpb"] ?? []);
    assert.equal(Math.min(...values), 0.969686);
    assert.equal(metrics["val_bpb"]?.direction, "lower");
    assert.equal(nodes.filter((n) => n.decision === "base").length, 1);
  });
});
