import assert from "node:assert/strict";
import { baseEnvironment } from "./jobSpec.ts";

describe("the environment of a keeper", () => {
  it("has what programs need to run, and nothing that could be a secret", () => {
    const from = { PATH: "/bin", HOME: "/home/a", LANG: "", API_TOKEN: "s3cret", EVO_LOCKS: "/locks" };
    assert.deepEqual(baseEnvironment(from), { PATH: "/bin", HOME: "/home/a", EVO_LOCKS: "/locks" });
    assert.deepEqual(baseEnvironment({}), { PATH: "/usr/local/bin:/usr/bin:/bin" });
  });
});
