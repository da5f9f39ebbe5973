import assert from "node:assert/strict";
import { untrustedText } from "./untrustedVersions.ts";

describe("versions that nobody who is trusted here signed", () => {
  it("are told with what they do not count as, and what to do", () =>
    assert.match(
      untrustedText([{ standing: "claim" }, { standing: "claim" }, { standing: "signed" }], "as cases") ?? "",
      /^The ledger has 2 versions that do not count as cases, .* `evotrainer trust <key> --name <who>`\.$/,
    ));
  it("are told of only where there is one", () => {
    assert.equal(untrustedText([{ standing: "signed" }, { standing: "earlier" }], "as cases"), null);
    assert.match(untrustedText([{ standing: "claim" }], "here") ?? "", /1 version that does not count here/);
  });
});
