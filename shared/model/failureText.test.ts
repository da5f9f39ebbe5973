import assert from "node:assert/strict";
import { failureClasses } from "./failureClass.ts";
import { failureBeside, failureText } from "./failureText.ts";

describe("what became of a job", () => {
  it("is said in words, and never by the name of its class", () => {
    for (const failure of failureClasses) assert.doesNotMatch(failureText(failure), /_/);
    assert.equal(failureText("preflight_crash"), "failed before its first evidence");
  });
  it("is not said twice where its message says it", () => {
    const failure = "preflight_crash";
    const message = "The trainer exited with 1 before its first evidence; see stderr.log.";
    assert.equal(failureBeside({ failure, message }), "failed");
    assert.equal(
      failureBeside({ failure, message: "The trainer did not run: no such file." }),
      "failed before its first evidence",
    );
    assert.equal(failureBeside({ failure: "crash", message }), "crashed");
  });
  it("is said as well as it can be of a class of a later release", () =>
    assert.equal(failureText("disk_full"), "disk full"));
});
