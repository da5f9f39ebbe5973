import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectOrBare } from "./bareProject.ts";

describe("a folder without a project", () => {
  let folder = "";
  const names = async (metricNames: string) => {
    const path = join(folder, "my.evidence.yaml");
    await writeFile(
      path,
      `apiVersion: evotrainer/v1\nkind: Evidence\nname: my\nmetricNames: ${metricNames}\n`,
    );
    return projectOrBare(folder);
  };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "evo-bare-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("takes the names of metrics from a mapping", async () => {
    const { metricNames, problems } = await names("{ entropy: my/ent }");
    assert.deepEqual([metricNames, problems], [{ entropy: "my/ent" }, []]);
  });

  it("reports each name that no diagnostic reads, misspelt or unknown", async () => {
    const { metricNames, problems } = await names("{ entropi: my/ent, quux: a, score: my/acc, zonk: b }");
    assert.deepEqual(metricNames, {});
    assert.deepEqual(
      problems.map(({ path, line, message }) => `${path}:${line} ${message.replace(/ They read .*/, "")}`),
      [
        "my.evidence.yaml:4 metricNames: no diagnostic reads a metric called entropi. Did you mean entropy?",
        "my.evidence.yaml:4 metricNames: no diagnostic reads a metric called quux.",
        "my.evidence.yaml:4 metricNames: no diagnostic reads a metric called zonk.",
      ],
    );
  });
});
