import assert from "node:assert/strict";
import { HarnessError, type Reason } from "../../base/errors.ts";
import { storeError } from "./storeErrors.ts";

describe("what a database says of an archive", () => {
  const messages: readonly [message: string, reason: Reason][] = [
    [
      'IO Error: Could not set lock on file "/a": Conflicting lock is held in /usr/bin/node (PID 42). See',
      "storeBusy",
    ],
    ['IO Error: Could not set lock on file "/a": Function not implemented', "unsupportedFileSystem"],
    ['IO Error: Could not write file "/a": No space left on device', "diskFull"],
    ['IO Error: Cannot open file "/a": Permission denied', "unsupportedFileSystem"],
    ["Serialization Error: Failed to deserialize", "storeFailed"],
    ["FATAL Error: database has been invalidated", "storeFailed"],
  ];
  for (const [message, reason] of messages)
    it(`reads "${message.slice(0, 60)}" as ${reason}`, () => {
      assert.ok(HarnessError.is(storeError(new Error(message), "/a"), reason));
    });

  it("passes on an unexpected error unchanged", () => {
    const bug = new Error("Binder Error: no such column");
    assert.equal(storeError(bug, "/a"), bug);
  });
});
