import assert from "node:assert/strict";
import type { Server } from "./languageClient.ts";
import { askEngine } from "./engineAnswer.ts";

type State = ReturnType<Server["state"]>;

/** Asks a server that is in one state now, and in another when it has answered, or has not. */
function askIn(now: State, then: State, engine: () => Promise<unknown>) {
  let state = now;
  const server = {
    state: () => state,
    engine: async () => {
      await Promise.resolve();
      state = then;
      return engine();
    },
  };
  return askEngine(server as unknown as Pick<Server, "engine" | "state">, {
    service: "jobs.list",
    params: {},
  });
}

describe("a question to the engine", () => {
  const answers = () => Promise.resolve({ type: "answer", root: "/p", result: { jobs: [] } });
  const fails = () => Promise.reject(new Error("Client is not running"));

  it("waits for a server that is starting", async () => {
    assert.deepEqual(await askIn("starting", "running", answers), {
      ...{ type: "answer", root: "/p", value: { jobs: [] } },
    });
  });

  it("says what to do where the server is stopped, or stops before it answers", async () => {
    for (const [now, then] of [
      ["stopped", "stopped"],
      ["starting", "stopped"],
      ["running", "stopped"],
    ] as const) {
      const answer = await askIn(now, then, fails);
      assert.equal(answer.type, "none");
      assert.equal(answer.cause, "The language server is not running.");
      assert.equal(answer.mend.label, "Restart Language Server");
    }
  });

  it("does not call a mistake of the server a server that is stopped", async () => {
    await assert.rejects(askIn("running", "running", fails), /Client is not running/);
  });
});
