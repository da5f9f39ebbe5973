import assert from "node:assert/strict";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { adoptRecords } from "./jobRecords.ts";
import { assertPolicy, notePolicy } from "./policyRecord.ts";

describe("the policy that a job starts from", () => {
  let folder: string;
  let run: string;
  let policy: string;
  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "evo-policy-")));
    run = join(folder, "runs", "v1.train.s1");
    policy = join(run, "policy");
    mkdirSync(join(policy, "deep"), { recursive: true });
    writeFileSync(join(policy, "weights.bin"), "weights");
    writeFileSync(join(policy, "deep", "config.json"), "{}");
    await adoptRecords(run);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const refuses = (words: RegExp): Promise<void> =>
    assert.rejects(assertPolicy(policy), (e) => HarnessError.is(e, "badInput") && words.test(e.message));

  it("is what its job left there, even after it was moved elsewhere and back", async () => {
    await notePolicy(run, policy);
    await assertPolicy(policy);
    cpSync(policy, join(folder, "backup"), { recursive: true });
    rmSync(policy, { recursive: true });
    cpSync(join(folder, "backup"), policy, { recursive: true });
    await assertPolicy(policy);
  });

  it("is refused when a file has other content, with its old time", async () => {
    utimesSync(join(policy, "weights.bin"), 1, 1);
    await notePolicy(run, policy);
    writeFileSync(join(policy, "weights.bin"), "WEIGHTS");
    utimesSync(join(policy, "weights.bin"), 1, 1);
    await refuses(/is not what its job left there/);
  });

  it("is refused when a file came, or went", async () => {
    await notePolicy(run, policy);
    writeFileSync(join(policy, "answers.json"), "{}");
    await refuses(/is not what its job left there/);
    rmSync(join(policy, "answers.json"));
    await assertPolicy(policy);
    rmSync(join(policy, "weights.bin"));
    await refuses(/is not what its job left there/);
  });

  it("is not read to its end when it leads elsewhere or is full of holes, and no job starts from it", async () => {
    symlinkSync("/", join(policy, "everything"));
    await notePolicy(run, policy);
    await refuses(/holds a link to/);
    rmSync(join(policy, "everything"));
    await refuses(/held links to other files/);
    writeFileSync(join(policy, "holes"), "");
    truncateSync(join(policy, "holes"), 2 ** 42);
    await notePolicy(run, policy);
    await refuses(/sparse files/);
  });

  it("may come from elsewhere, and from a run of an earlier release", async () => {
    await assertPolicy(policy);
    await assertPolicy(join(folder, "base"));
  });
});
