import assert from "node:assert/strict";
import { meantJob } from "./meantJob.ts";

const names = [
  "v1.train.s1",
  "v1.train.s2",
  "v4-faster.train.s1",
  "v5-history.train.s1",
  "v5-history.audit.s1",
  "v10-a.train.s1",
];

describe("the job that is meant", () => {
  for (const [asked, meant] of [
    ["v4", "v4-faster.train.s1"],
    ["v4.train", "v4-faster.train.s1"],
    ["v4.train.s1", "v4-faster.train.s1"],
    ["v1.train.s2", "v1.train.s2"],
    ["v5-hist.audit", "v5-history.audit.s1"],
    ["v10", "v10-a.train.s1"],
  ] as const)
    it(`is ${meant} for ${asked}`, () => assert.equal(meantJob(asked, names), meant));

  for (const asked of ["v9", "v1.trian", "v4.train.s2", "", "v4.t"])
    it(`is left as it was written where none fits: "${asked}"`, () =>
      assert.equal(meantJob(asked, names), asked));

  it("is none where several fit, which are named", () => {
    assert.throws(() => meantJob("v1", names), {
      reason: "badInput",
      message: "v1 matches several jobs: v1.train.s1, v1.train.s2; write the whole name.",
    });
    assert.throws(() => meantJob("v5", names), { message: /v5-history\.train\.s1, v5-history\.audit\.s1;/ });
  });
});
