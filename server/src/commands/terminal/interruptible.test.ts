import assert from "node:assert/strict";
import { HarnessError } from "../../base/errors.ts";
import { interruptible } from "./interruptible.ts";

const goOn = "Run it again.";
const untilStopped = (signal: AbortSignal, message: string): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new HarnessError("cancelled", message)), { once: true });
    process.emit("SIGINT");
  });

describe("work that can be interrupted", () => {
  it("says how to go on when it was stopped, in the same words wherever it was", async () => {
    for (const message of ["The request was cancelled.", "Stopped; run `evotrainer evolve`."])
      await assert.rejects(
        interruptible(goOn, (signal) => untilStopped(signal, message)),
        { reason: "cancelled", message: "Interrupted. Run it again." },
      );
  });

  it("leaves other failures as they are, and takes its handlers away", async () => {
    const before = process.listenerCount("SIGINT");
    const failed = new HarnessError("cancelled", "The connection was closed.");
    await assert.rejects(
      interruptible(goOn, () => Promise.reject(failed)),
      failed,
    );
    assert.equal(await interruptible(goOn, () => Promise.resolve(7)), 7);
    assert.equal(process.listenerCount("SIGINT"), before);
  });
});
