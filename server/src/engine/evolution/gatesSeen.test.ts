import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GatesSpec } from "../../../../shared/spec/gates.ts";
import { makeTestRepository, type TestRepository } from "../../../../test/support/lineage/repository.ts";
import { openRepository } from "../../lineage/repository.ts";
import { seeGates } from "./gatesSeen.ts";

describe("gates that became looser with a commit", () => {
  let made: TestRepository;
  let engineFolder: string;
  beforeEach(() => {
    made = makeTestRepository({ "evotrainer.yaml": "a\n" });
    engineFolder = mkdtempSync(join(tmpdir(), "evo-gates-"));
  });
  afterEach(() => {
    made.dispose();
    rmSync(engineFolder, { recursive: true, force: true });
  });
  const see = async (settings: object): Promise<string | null> =>
    seeGates(
      { engineFolder, repository: await openRepository(made.root) },
      { commit: made.git("rev-parse", "HEAD"), gates: GatesSpec.parse(settings) },
    );

  it("are named once, with the commit, whose it is, and what to do", async () => {
    assert.equal(await see({}), null);
    made.write("evotrainer.yaml", "b\n");
    const commit = made.commit("looser").slice(0, 7);
    made.write("other.txt", "c\n");
    made.commit("something else");
    const said = await see({ completion: "rule" });
    assert.ok(said?.includes(`by commit ${commit} of Test User, `), String(said));
    assert.match(
      said ?? "",
      /`completion`: the rule answers instead of a person\. They apply from now on\. If /,
    );
    assert.equal(await see({ completion: "rule" }), null);
  });
  it("are not those of a first evolution, nor tighter ones", async () => {
    assert.equal(await see({ autonomy: "full" }), null);
    made.commit("tighter");
    assert.equal(await see({}), null);
  });
  it("begin anew where the file was damaged", async () => {
    await see({});
    writeFileSync(join(engineFolder, "gates.json"), "{");
    made.commit("looser");
    assert.equal(await see({ autonomy: "full" }), null);
    made.commit("and back");
    await see({});
    made.commit("looser again");
    assert.match((await see({ autonomy: "full" })) ?? "", /\(see commit [0-9a-f]{12}\): /);
  });
});
