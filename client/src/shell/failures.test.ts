import assert from "node:assert/strict";
import { reasons } from "../../../server/src/base/errors.ts";
import * as z from "zod";
import { Cancelled, KnownFailure, mends, restartServer, shownFailure, showLog } from "./failures.ts";

const thrownBy = (f: () => unknown): unknown => {
  try {
    return f();
  } catch (e) {
    return e;
  }
};
const named = (name: string, message = "x"): Error => Object.assign(new Error(message), { name });
const coded = (code: number): Error => Object.assign(new Error("x"), { code });

describe("a failure as the user sees it", () => {
  const silent: readonly (readonly [string, unknown])[] = [
    ["a cancellation by the editor", named("Canceled")],
    ["a cancellation by EvoTrainer", new Cancelled()],
    ["an aborted signal", named("AbortError")],
    ["a request that was cancelled", coded(-32800)],
    ["a request that the server cancelled", coded(-32802)],
  ];
  for (const [name, thrown] of silent)
    it(`says nothing about ${name}`, () => assert.deepEqual(shownFailure("X", thrown), { type: "silent" }));

  it("shows the sentence of a known failure, with the action that fixes it", () => {
    const failure = new KnownFailure("The archive is busy.", mends["storeBusy"]);
    assert.deepEqual(shownFailure("Backtest", failure), {
      type: "known",
      message: "The archive is busy.",
      mend: { label: "Show Who Has the Archive", command: "evotrainer.showOwner" },
    });
  });

  it("offers to restart the language server when it stopped before it answered", () => {
    const shown = shownFailure("Backtest", coded(-32097));
    assert.ok(shown.type === "known");
    assert.equal(shown.mend, restartServer);
  });

  const bugs: readonly (readonly [string, unknown])[] = [
    ["a bug", new TypeError("Cannot read properties of undefined (reading 'name')")],
    ["an answer that has the wrong shape", thrownBy(() => z.object({ name: z.string() }).parse({ name: 1 }))],
    ["a text that is not JSON", thrownBy(() => JSON.parse("{]"))],
    ["a thrown value that is not an error", "oops"],
  ];
  for (const [name, thrown] of bugs)
    it(`keeps the message of ${name} for the log`, () => {
      const shown = shownFailure("Backtest", thrown);
      assert.ok(shown.type === "bug");
      assert.equal(shown.mend, showLog);
      assert.match(shown.message, /^Backtest failed[:;] [^{}[\]]*\.$/);
      const said = thrown instanceof Error ? thrown.message : String(thrown);
      assert.ok(!shown.message.includes(said) && shown.stack.includes(said), shown.message);
    });

  it("offers actions only for reasons that the engine knows", () => {
    const known: readonly string[] = reasons;
    assert.deepEqual(
      Object.keys(mends).filter((reason) => !known.includes(reason)),
      [],
    );
  });
});
