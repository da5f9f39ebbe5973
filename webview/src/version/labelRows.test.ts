import assert from "node:assert/strict";
import type { LabelShifts } from "../../../shared/protocol/results/shift.ts";
import { movedRows } from "./labelRows.ts";

type Shift = LabelShifts["shifts"][number];
const shift = (label: string, difference: number, verdict: NonNullable<Shift["verdict"]> | null): Shift => {
  const rate = { labelled: 9, decided: 99, undecided: 0, rollouts: 99, items: 9, rate: 0.5, coverage: 1 };
  return {
    ...{
      label,
      difference,
      says: "",
      low: null,
      high: null,
      method: null,
      commonItems: 9,
      p: 0,
      adjusted: 0,
    },
    ...{ a: { ...rate, bounds: [0.5, 0.5] }, b: { ...rate, bounds: [0.5, 0.5] }, seen: "both" },
    kind: verdict === "inside_noise" ? "within_noise" : difference > 0 ? "rose" : "fell",
    ...(verdict === null ? {} : { verdict }),
  };
};

describe("the labels that a page names first", () => {
  const shifts = [
    shift("untested-submit", -1, "improved"),
    shift("short-rollout", -0.9, "improved"),
    shift("patch-size", 0.8, null),
    shift("gives-up", 0.4, "regressed"),
    shift("identical-calls", 0.06, "regressed"),
    shift("idle", 0.5, "inside_noise"),
  ];
  it("are those that became worse, then the largest changes, and none inside the noise", () =>
    assert.deepEqual(
      movedRows({ shifts }, []).map(({ name }) => name),
      ["gives-up", "identical-calls", "untested-submit", "short-rollout", "patch-size"],
    ));
  it("begin with what the version was not kept for", () =>
    assert.equal(movedRows({ shifts }, ["untested-submit"])[0]?.name, "untested-submit"));
});
