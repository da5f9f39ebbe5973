import assert from "node:assert/strict";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { seedsRun, trainedSeeds } from "./trainedSeeds.ts";

const job = (
  id: string,
  more: Partial<VersionRecord["jobs"][number]> = {},
): VersionRecord["jobs"][number] => ({
  ...{ id, at: "2026-01-01T00:00:00.000Z", domain: "toy", type: "job", version: "v2", job: "v2" },
  ...{ state: "finished", failure: null, message: "finished", seconds: 6 },
  ...more,
});
const failed = { state: "failed", failure: "crash", message: "exit 3" } as const;

describe("the seeds of a version", () => {
  it("are those of its finished trainings in the ledger", () => {
    const jobs = [
      job("job:v2:train:s1", { seeds: [1] }),
      job("job:v2:train:s2", { ...failed, seeds: [2] }),
      job("job:v2:train:s3", { seeds: [3], seconds: null }),
    ];
    assert.deepEqual(trainedSeeds({ name: "v2", jobs }, [7]), [
      { seed: 1, seconds: 6 },
      { seed: 3, seconds: null },
    ]);
    assert.deepEqual(seedsRun({ name: "v2", jobs }, [7]), [1, 2, 3]);
  });
  it("are those of trainer.seeds where an earlier release wrote one entry for all, and what was added later", () => {
    const jobs = [job("job:v2:train"), job("job:v2:train:s5", { seeds: [5] })];
    assert.deepEqual(
      trainedSeeds({ name: "v2", jobs }, [1, 2]).map(({ seed, seconds }) => [seed, seconds]),
      [
        [1, 3],
        [2, 3],
        [5, 6],
      ],
    );
  });
  it("leave out second evaluations, audits and reruns", () => {
    const jobs = [
      job("job:v2:again:s1", { seeds: [1] }),
      job("job:v2:audit", { seeds: [1] }),
      job("job:v2:train:s1:r2"),
    ];
    assert.deepEqual(trainedSeeds({ name: "v2", jobs }, [1]), []);
    assert.deepEqual(seedsRun({ name: "v2", jobs }, [4]), [4]);
  });
});
