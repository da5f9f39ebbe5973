import assert from "node:assert/strict";
import { failureClasses } from "../model/failureClass.ts";
import { failureText } from "./failures.ts";

describe("what became of a job", () => {
  it("is said in words, and never by the name of its class", () => {
    for (const failure of failureClasses) assert.doesNotMatch(failureText(failure), /_/);
    assert.equal(failureText("preflight_crash"), "failed before its first evidence");
  });
  it("is said as well as it can be of a class of a later release", () =>
    assert.equal(failureText("disk_full"), "disk full"));
});
