import assert from "node:assert/strict";
import { makeTestRepository, type TestRepository } from "../../../../test/support/lineage/repository.ts";
import { openRepository, type Repository } from "../../lineage/repository.ts";
import { measuredFiles, measuredOn } from "../../project/identity/evaluationIdentity.ts";
import { HarnessError } from "../../base/errors.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { assertComparable, comparability } from "./comparable.ts";

const files = {
  "evotrainer.yaml": `apiVersion: evotrainer/v1
kind: Project
name: toy
domain: toy
trainer: { command: [node, trainer.mjs] }
evaluation:
  splits: { train: data/train.jsonl, selection: data/selection.jsonl, audit: data/audit.jsonl }
surfaces: [{ factor: reward, file: harness/toy.yaml }]
`,
  "data/selection.jsonl": '{"id":"s"}\n',
};
const gone = "a".repeat(40);

describe("whether two versions can be compared", () => {
  let made: TestRepository;
  let repository: Repository;
  beforeEach(async () => {
    made = makeTestRepository(files);
    repository = await openRepository(made.root);
  });
  afterEach(() => made.dispose());
  const recorded = async (commit: string, data: Record<string, string> = {}) =>
    measuredOn(await measuredFiles(repository, commit), data);
  const other = (): string => {
    made.write("data/selection.jsonl", '{"id":"easy"}\n');
    return made.commit();
  };
  const version = (name: string, commit: string, more: Awaited<ReturnType<typeof recorded>> | undefined) => ({
    ...{ name, commit, recorded: more },
  });

  it("comes from the ledger if the commits are gone", async () => {
    const [head, changed] = [made.git("rev-parse", "HEAD"), other()];
    const [a, b] = [version("v1", gone, await recorded(head)), version("v2", gone, await recorded(changed))];
    assert.match((await comparability(repository, a, b)).refusal ?? "", /the items of a split differ\./);
    assert.deepEqual(await comparability(repository, a, { ...a, name: "v3" }), { refusal: null, notes: [] });
  });

  it("comes from the commits if the ledger of an earlier release says nothing", async () => {
    const [head, changed] = [made.git("rev-parse", "HEAD"), other()];
    const [a, b] = [version("v1", head, undefined), version("v2", changed, undefined)];
    assert.match((await comparability(repository, a, b)).refusal ?? "", /data\/selection\.jsonl differs\./);
    assert.deepEqual(await comparability(repository, a, { ...a, name: "v3" }), { refusal: null, notes: [] });
  });

  it("is refused to who asks for a comparison, with the file that differs", async () => {
    const [head, changed] = [made.git("rev-parse", "HEAD"), other()];
    const version = (name: string, commit: string): VersionRecord =>
      ({ name, commit, evidence: {} }) as unknown as VersionRecord;
    const all = [version("v1", head), version("v2", changed), version("v3", head)];
    const byName = () => new Map(all.map((one) => [one.name, one]));
    await assert.rejects(
      assertComparable({ repository, byName }, "v1", "v2"),
      (e) => HarnessError.is(e, "notComparable") && e.message.includes("data/selection.jsonl differs."),
    );
    assert.deepEqual(await assertComparable({ repository, byName }, "v1", "v3"), []);
  });

  it("comes from the commit if digests were made in another way", async () => {
    const [head, changed] = [made.git("rev-parse", "HEAD"), other()];
    const made2 = { ...(await recorded(changed)), schema: 99 };
    assert.deepEqual(
      await comparability(repository, version("v1", head, await recorded(head)), version("v2", head, made2)),
      { refusal: null, notes: [] },
    );
  });

  it("is not known where neither says it: they are compared with a note", async () => {
    const head = made.git("rev-parse", "HEAD");
    const found = await comparability(
      repository,
      version("v1", gone, undefined),
      version("v2", head, undefined),
    );
    assert.equal(found.refusal, null);
    assert.match(
      found.notes.join(),
      /^Nobody could check that v1 was measured on the same things: .*cannot be read\.$/,
    );
  });

  it("leaves out data where one of them has no record of it", async () => {
    const head = made.git("rev-parse", "HEAD");
    const [one, two] = [{ corpus: "0".repeat(64) }, { corpus: "1".repeat(64) }];
    const a = version("v1", head, await recorded(head, one));
    assert.equal((await comparability(repository, a, version("v2", head, undefined))).refusal, null);
    const b = version("v2", head, await recorded(head, two));
    assert.match((await comparability(repository, a, b)).refusal ?? "", /: corpus differs\./);
  });

  it("is not asked of what another tool measured", async () => {
    const [head, changed] = [made.git("rev-parse", "HEAD"), other()];
    const origin = {
      ...{
        format: "x",
        lineage: "x",
        key: "x",
        parents: [],
        status: null,
        note: "",
        missing: false,
        digest: "x",
      },
    };
    const [a, b] = [version("v1", head, undefined), { ...version("v2", changed, undefined), origin }];
    assert.deepEqual(await comparability(repository, a, b), { refusal: null, notes: [] });
  });
});
