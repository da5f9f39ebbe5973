import assert from "node:assert/strict";
import { runStage } from "./lib/stage.mjs";

describe("a stage of npm start", () => {
  const run = (code: string) => runStage("The evolution", ["-e", code]);
  it("that fails is said to have failed", () =>
    assert.deepEqual(run("process.exit(3)"), {
      code: 3,
      said: "The evolution failed (exit code 3).\n",
    }));
  it("that was interrupted has not failed", () => {
    assert.deepEqual(run("process.exit(130)"), { code: 130, said: "" });
    assert.deepEqual(run('process.kill(process.pid, "SIGINT"); setTimeout(() => undefined, 5000)'), {
      code: 130,
      said: "",
    });
  });
  it("that went well says nothing", () => assert.equal(run(""), null));
});
