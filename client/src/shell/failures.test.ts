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

describe("what a person sees of a failure", () => {
  const silent: readonly (readonly [string, unknown])[] = [
    ["the editor's own cancellation", named("Canceled")],
    ["ours", new Cancelled()],
    ["an aborted signal", named("AbortError")],
    ["a request that was cancelled", coded(-32800)],
    ["a request that the server cancelled", coded(-32802)],
  ];
  for (const [name, thrown] of silent)
    it(`says nothing of ${name}`, () => assert.deepEqual(shownFailure("X", thrown), { type: "silent" }));

  it("says a known failure in its own sentence, with the action that mends it", () => {
    const failure = new KnownFailure("The archive is busy.", mends["storeBusy"]);
    assert.deepEqual(shownFailure("Backtest", failure), {
      type: "known",
      message: "The archive is busy.",
      mend: { label: "Show Who Has the Archive", command: "evotrainer.showOwner" },
    });
  });

  it("offers to start the language server again when it stopped before it answered", () => {
    const shown = shownFailure("Backtest", coded(-32097));
    assert.ok(shown.type === "known");
    assert.equal(shown.mend, restartServer);
  });

  const bugs: readonly (readonly [string, unknown])[] = [
    ["a bug", new TypeError("Cannot read properties of undefined (reading 'name')")],
    ["an answer of another shape", thrownBy(() => z.object({ name: z.string() }).parse({ name: 1 }))],
    ["a text that is no JSON", thrownBy(() => JSON.parse("{]"))],
    ["something that is no error", "oops"],
  ];
  for (const [name, thrown] of bugs)
    it(`keeps the words of ${name} for the log`, () => {
      const shown = shownFailure("Backtest", thrown);
      assert.ok(shown.type === "bug");
      assert.equal(shown.mend, showLog);
      assert.match(shown.message, /^Backtest failed[:;] [^{}[\]]*\.$/);
      const said = thrown instanceof Error ? thrown.message : String(thrown);
      assert.ok(!shown.message.includes(said) && shown.stack.includes(said), shown.message);
    });

  it("mends only what the engine has a reason for", () => {
    const known: readonly string[] = reasons;
    assert.deepEqual(
      Object.keys(mends).filter((reason) => !known.includes(reason)),
      [],
    );
  });
});
