import assert from "node:assert/strict";
import { exitCodeOf, exitCodes } from "./terminal/io.ts";
import { interruptible, stopsInOrder } from "./terminal/interruptible.ts";
import { interruptedVerb } from "./interrupted.ts";
import { verbOf, verbs, type Verb } from "./verbs.ts";

describe("a verb that is interrupted", () => {
  it("ends with the code of an interruption, and says in one line what that means for it", () => {
    for (const verb of Object.keys(verbs) as Verb[]) {
      const failed = interruptedVerb(verb);
      assert.equal(exitCodeOf(failed), exitCodes.interrupted);
      assert.match(failed.message, /^Interrupted\. [^\n]+\.$/);
    }
    assert.equal(interruptedVerb(undefined).message, "Interrupted. Nothing was changed.");
    assert.match(interruptedVerb(verbOf(["--json", "evolve"])).message, /Run `evotrainer evolve` again/);
  });

  it("is left to work that stops in order, the first time", async () => {
    const states = [stopsInOrder()];
    await interruptible("Run it again.", () => {
      states.push(stopsInOrder());
      process.emit("SIGINT");
      states.push(stopsInOrder());
      return Promise.resolve();
    });
    await interruptible("Run it again.", () => Promise.resolve());
    assert.deepEqual([...states, stopsInOrder()], [false, true, false, false]);
  });
});
