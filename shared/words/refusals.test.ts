import assert from "node:assert/strict";
import * as refusals from "./refusals.ts";

describe("refusals", () => {
  const { noFolder, noProject, noArchive, noVersions, serverStopped } = refusals;
  for (const { cause, advice } of [
    ...[noFolder, noProject, noArchive, noVersions, serverStopped],
    refusals.notTrusted("Specs are still checked."),
  ])
    it(`say in one sentence what is wrong and in the next what to do: ${cause}`, () => {
      assert.match(cause, /^[A-Z][^.]*(\.yaml)?[^.]*\.$/);
      assert.match(advice, /^[A-Z].*\.$/);
    });

  it("name what was asked for", () => {
    assert.equal(refusals.noVersionNamed("v9"), "There is no version v9.");
    assert.equal(refusals.noVersionNamed("v9", "swe"), "There is no version v9 in the lineage of swe.");
    assert.match(
      refusals.runsUntrusted("An evolution"),
      /^An evolution runs programs .* and this workspace is not trusted; trust it first\.$/,
    );
    assert.match(
      refusals.noProjectFile("evotrainer.yaml", "/p"),
      /^There is no evotrainer\.yaml in \/p; .*init/,
    );
  });
});
