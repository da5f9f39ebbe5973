import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { withoutPrivileges } from "../../../../test/support/base/privileges.ts";
import { detectLineage, type LineageFormat } from "./detect.ts";
import { fixture } from "../../../../test/support/lineage/fixtures.ts";

describe("detectLineage", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "evotrainer detect "));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const write = (path: string, content: string): string => {
    const whole = join(folder, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, content);
    return whole;
  };
  const kinds = async (paths: readonly string[], format?: LineageFormat): Promise<string[]> =>
    (await detectLineage(paths, format === undefined ? {} : { format })).map(
      (f) => `${f.type} ${f.format} ${f.name}`,
    );
  const tsv = "commit\tval_bpb\tstatus\tdescription\na\t1\tkeep\tx\n";
  const mapping = "apiVersion: evotrainer/v1\nkind: Lineage\nname: mapped\nnode: { id: id }\n";

  it("finds each lineage in a folder, and nothing else", async () => {
    write("r1/results.tsv", tsv);
    write("r1/data.tsv", tsv);
    write("r2/autoresearch.jsonl", '{"type":"config","metricName":"m"}\n');
    write("r2/rollouts.jsonl", '{"type":"config","metricName":"m"}\n');
    write("r3/checkpoints/checkpoint_1/programs/a.json", '{"id":"a","code":"","metrics":{}}');
    write("node_modules/x/results.tsv", tsv);
    write("r4/metadata.json", '{"run":1}');
    write("r5/journal.json", '{"nodes":[]}');
    assert.deepEqual(await kinds([folder]), [
      "readable openevolve r3",
      "readable autoresearch r1",
      "readable pi-autoresearch r2",
    ]);
    assert.deepEqual(await kinds([join(folder, "r1/data.tsv")]), ["readable autoresearch r1"]);
    assert.deepEqual(await kinds([folder], "openevolve"), ["readable openevolve r3"]);
  });
  it("reads a named file as the format asked for", async () => {
    const odd = write("log.txt", tsv);
    assert.deepEqual(await kinds([odd]), []);
    assert.equal((await kinds([odd], "autoresearch")).length, 1);
  });
  it("reads the file beside a mapping, or the file that the mapping names", async () => {
    const ledger = write("runs.jsonl", '{"id":1}\n');
    const bare = write("a.evidence.yaml", mapping);
    const naming = write("b.evidence.yaml", `${mapping}source: runs.jsonl\n`);
    assert.deepEqual(await kinds([bare, ledger]), ["readable mapping mapped"]);
    assert.deepEqual(await kinds([naming]), ["readable mapping mapped"]);
    const refused = (pattern: RegExp) => (e: unknown) => e instanceof HarnessError && pattern.test(e.message);
    await assert.rejects(kinds([bare]), refused(/names no source/));
    rmSync(ledger);
    await assert.rejects(kinds([naming]), refused(/no file runs\.jsonl beside the mapping/));
  });
  it("follows no symbolic link", async () => {
    write("r1/results.tsv", tsv);
    symlinkSync(folder, join(folder, "r1/loop"));
    assert.equal((await kinds([folder])).length, 1);
  });
  it("says that a path does not exist", () =>
    assert.rejects(kinds([join(folder, "none")]), (e: unknown) => HarnessError.is(e, "notFound")));
  it("recognises Shinka's database, and says what to do with it", async function () {
    const found = await detectLineage([fixture(this, "lineage_shinka")]);
    assert.equal(found.length, 1);
    assert.ok(found[0]?.type === "refused");
    assert.match(found[0].reason, /ShinkaEvolve.*sqlite3 -json.*mapping/);
  });
  it("ignores other databases", async () => {
    write("x.sqlite", "SQLite format 3\0 CREATE TABLE users (id)");
    assert.deepEqual(await kinds([folder]), []);
  });

  it("recognises files that the tools wrote beside their lineages, and ignores other files", async () => {
    const node = '{"nodes":[{"code":"","plan":"","plot_code":""}]}';
    write("o/checkpoints/checkpoint_1/programs/a.json", '{"id":"a","code":"","metrics":{}}');
    write("o/checkpoints/checkpoint_1/best_program_info.json", "{}");
    write("o/best/best_program.py", "");
    write("o/notes.json", "{}");
    write("s/stage_1_a/journal.json", node);
    write("s/stage_1_a/notes/stage_progress.json", "{}");
    write("s/idea.json", "{}");
    write("other/idea.json", "{}");
    write(
      "m/x.evidence.yaml",
      `${mapping}source: a.jsonl\noutcomes: { source: trials/t.csv, node: r, item: t, outcome: o, words: { '1': pass } }\n`,
    );
    write("m/a.jsonl", '{"id": 1}\n');
    write("m/trials/t.csv", "r,t,o\n");
    const found = await detectLineage([folder]);
    const top = basename(folder);
    assert.deepEqual(
      found.flatMap((f) => f.beside ?? []).sort(),
      [
        "m/trials/t.csv",
        "o/best/best_program.py",
        "o/checkpoints/checkpoint_1/best_program_info.json",
        "s/idea.json",
        "s/stage_1_a/notes/stage_progress.json",
      ].map((name) => `${top}/${name}`),
    );
  });

  it("accepts folders of more than 200,000 files, as an import of evidence does", async function () {
    this.timeout(60_000);
    for (let i = 0; i < 2000; i++) write(`many/${i}.txt`, "");
    write("many/results.tsv", tsv);
    const paths = Array.from({ length: 101 }, () => join(folder, "many"));
    assert.equal((await kinds(paths)).length, 101);
  });

  it("names unreadable files, and continues", async function () {
    const locked = dirname(write("locked/results.tsv", tsv));
    const unreadable = [write("a/results.tsv", tsv), write("b/x.evidence.yaml", mapping)];
    unreadable.push(write("c/metadata.json", '{"run_id": "a", "overall_performance": {}}'));
    write("d/results.tsv", tsv);
    await withoutPrivileges(this, folder, async () => {
      for (const path of [locked, ...unreadable]) chmodSync(path, 0);
      const refused: string[] = [];
      const found = await detectLineage([folder], {
        refuse: (path, reason) => refused.push(`${path} ${String(reason.includes("EACCES"))}`),
      });
      chmodSync(locked, 0o700);
      assert.deepEqual(
        found.map((f) => f.name),
        ["d"],
      );
      assert.deepEqual(refused.sort(), [locked, ...unreadable].map((path) => `${path} true`).sort());
    });
  });
});
