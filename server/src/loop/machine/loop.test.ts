import { checkSchedule } from "../../../../test/support/loop/schedule.ts";

describe("the loop, killed at random", function () {
  this.timeout(120_000);
  it("comes to the undisturbed lineage in 1,000 schedules, and pays for nothing twice", async () => {
    for (let seed = 1; seed <= 1000; seed++)
      try {
        await checkSchedule(seed);
      } catch (e) {
        throw new Error(`Schedule ${seed} (npm run simulate:loop -- --only ${seed}) fails.`, { cause: e });
      }
  });
});
