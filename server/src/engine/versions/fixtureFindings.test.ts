import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { makeWorkspace } from "../../../../test/support/evidence/evidence.ts";
import { fixtureSet, importPaths } from "../../../../test/support/evidence/import.ts";
import { diagnose } from "../../diagnosis/diagnose.ts";
import { stringOf } from "../../evidence/store/rows.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { bareDomain } from "../project/bareProject.ts";
import { shippedDiagnostics } from "../../project/library.ts";
import { splitOrDefault } from "../workspace/openSplit.ts";

/**
 * For each set of real files and each version in it: every finding, and why a reader of the files would agree; an empty reason
 * stands for the one under `reasons`. A reason that begins with "Not right yet" says what is wrong with the finding.
 */
interface Golden {
  readonly reasons: Record<string, string>;
  readonly sets: Record<string, Record<string, Record<string, string>>>;
}

const golden = join(import.meta.dirname, "../../../../test/stored/fixtureFindings.yaml");
const known = parse(readFileSync(golden, "utf8")) as Golden;
const expected = known.sets;
/** Writes what is found instead, keeps the reasons that are there, and leaves the others to be written by hand. */
const isWritten = process.env["EVOTRAINER_WRITE_FINDINGS"] === "1";

const sets = [
  "agent_atif_harbor",
  "agent_dgm_initial",
  "agent_inspect_logs",
  "agent_mini_swe_agent",
  "agent_openhands",
  "agent_sweagent_claude35_verified",
  "agent_sweagent_demos",
  "agent_tau_bench",
  "labelled_who_and_when",
  "metrics_verl_grpo",
  "rl_nemo_gym_rollouts",
  "rl_tinker_rewardhack_rollouts",
  "rl_verifiers_vf_eval",
  "rl_verl_rollout_dump",
];

const diagnostics = shippedDiagnostics().map(({ spec }) => spec);

/** Version → severity and name of each finding that is said, without those that it names with another one. */
async function findingsOf(store: Store): Promise<Record<string, string[]>> {
  const rows = await store.query({
    sql: "SELECT version FROM rollouts UNION SELECT version FROM metrics ORDER BY version",
    params: [],
  });
  const found: Record<string, string[]> = {};
  for (const row of rows) {
    const version = stringOf(row, "version");
    const scope = { split: await splitOrDefault(store, version, undefined) };
    const { findings } = await diagnose(store, {
      version,
      domain: bareDomain,
      diagnostics,
      aggregator: "macro",
      scope,
    });
    found[version] = findings
      .filter(({ under }) => under === undefined)
      .map(({ severity, name }) => `${severity} ${name}`);
  }
  return found;
}

describe("findings on real files that the project was not made for", function () {
  this.timeout(240_000);
  for (const set of sets)
    it(`of ${set} are those that a reader of the files would make`, async function () {
      const path = fixtureSet(this, set);
      const workspace = await makeWorkspace();
      try {
        const store = await workspace.open();
        await importPaths(store, [path]);
        const found = await findingsOf(store);
        if (isWritten)
          expected[set] = Object.fromEntries(
            Object.entries(found).map(([version, names]) => [
              version,
              Object.fromEntries(names.map((name) => [name, expected[set]?.[version]?.[name] ?? ""])),
            ]),
          );
        const told = Object.entries(expected[set] ?? {}).map(([version, reasons]) => [
          version,
          Object.keys(reasons),
        ]);
        assert.deepEqual(found, Object.fromEntries(told));
      } finally {
        await workspace.remove();
      }
    });
  it("have a reason each", () => {
    if (isWritten) writeFileSync(golden, stringify(known, { lineWidth: 0 }));
    assert.deepEqual(Object.keys(expected), sets);
    for (const [set, versions] of Object.entries(expected))
      for (const [version, reasons] of Object.entries(versions))
        for (const [finding, reason] of Object.entries(reasons))
          assert.match(
            reason === "" ? (known.reasons[finding] ?? "") : reason,
            /(\S+ ){3}/,
            `${set} ${version} ${finding}`,
          );
  });
});
