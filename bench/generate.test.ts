import assert from "node:assert/strict";
import { Rollout } from "../shared/model/rollout.ts";
import { generateRollouts } from "./generate.ts";

describe("synthetic rollouts", () => {
  const rollouts = [...generateRollouts({ rows: 4000, textBytes: 400, seed: 3 })];

  it("keep to the contract, and the same seed gives the same rollouts", () => {
    for (const rollout of rollouts) assert.deepEqual(Rollout.parse(rollout), rollout);
    assert.deepEqual([...generateRollouts({ rows: 40, textBytes: 400, seed: 3 })], rollouts.slice(0, 40));
    assert.notDeepEqual([...generateRollouts({ rows: 40, textBytes: 400, seed: 4 })], rollouts.slice(0, 40));
  });

  it("have the shares of dead groups and loops that were asked for", () => {
    const groups = groupBy(rollouts);
    const dead = [...groups.values()].filter((g) => new Set(g.map((r) => r.reward)).size === 1).length;
    assert.ok(Math.abs(dead / groups.size - 0.18) < 0.06, `dead ${dead} of ${groups.size}`);
    const loops = rollouts.filter((r) => r.stop_reason === "echo_trap").length;
    assert.ok(Math.abs(loops / rollouts.length - 0.03) < 0.01, `loops ${loops}`);
    assert.equal(new Set(rollouts.map((r) => r.id)).size, rollouts.length);
  });
});

function groupBy(rollouts: readonly Rollout[]): Map<string, Rollout[]> {
  const groups = new Map<string, Rollout[]>();
  for (const r of rollouts) groups.set(r.group, [...(groups.get(r.group) ?? []), r]);
  return groups;
}
