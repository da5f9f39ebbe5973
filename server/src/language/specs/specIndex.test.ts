import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { checkSpecs } from "../checks/checkSpecs.ts";
import { findSpecs } from "./findSpecs.ts";
import { SpecIndex } from "./specIndex.ts";
import { interventionWith, sampleProject } from "../../../../test/support/language/sampleProject.ts";

describe("SpecIndex", () => {
  let root = "";
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
    return join(root, file);
  };
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "evotrainer-index-"));
    for (const [file, text] of Object.entries(sampleProject)) write(file, text);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("finds specs and skips folders that are not searched", async () => {
    write("node_modules/x/a.reward.yaml", "");
    write(".evotrainer/runs/1/a.reward.yaml", "");
    write("deep/er/a.diagnostic.yaml", "");
    symlinkSync(root, join(root, "deep/loop"));
    const found = (await findSpecs(root)).map((path) => path.slice(root.length + 1));
    assert.deepEqual(found, ["deep/er/a.diagnostic.yaml", "evotrainer.yaml", "harness/main.reward.yaml"]);
  });

  it("prefers the open text to the file on disk, and notices changes on disk", () => {
    const index = new SpecIndex();
    const path = write("a.reward.yaml", "name: disk\n");
    assert.deepEqual(index.context(path)?.spec.value, { name: "disk" });
    index.open(path, "name: open\n");
    assert.deepEqual(index.context(path)?.spec.value, { name: "open" });
    index.close(path);
    write("a.reward.yaml", "name: changed\n");
    assert.deepEqual(index.context(path)?.spec.value, { name: "changed" });
    rmSync(path);
    assert.equal(index.context(path), undefined);
  });

  it("reads the kind of a mapping from its text, on disk and in the editor", async () => {
    const index = new SpecIndex();
    const lineage = "apiVersion: evotrainer/v1\nkind: Lineage\nname: a\nnode: { id: commit }\n";
    const path = write("runs.evidence.yaml", lineage);
    assert.equal(index.context(path)?.spec.kind, "lineage");
    index.open(path, lineage.replace("Lineage", "Evidence"));
    assert.equal(index.context(path)?.spec.kind, "evidence");
    assert.deepEqual(await checkSpecs(root), []);
  });

  it("assigns a spec to the nearest project above it", () => {
    write(
      "inner/evotrainer.yaml",
      sampleProject["evotrainer.yaml"]?.replace("name: sample", "name: inner") ?? "",
    );
    const index = new SpecIndex();
    assert.equal(index.context(write("inner/x/a.reward.yaml", ""))?.project?.spec?.name, "inner");
    assert.equal(index.context(write("x/a.reward.yaml", ""))?.project?.spec?.name, "sample");
  });

  it("reads nothing outside the project, neither by path nor by link, and no pipe", () => {
    const outside = mkdtempSync(join(tmpdir(), "evotrainer-outside-"));
    writeFileSync(join(outside, "secret.yaml"), "a: 1\n");
    symlinkSync(join(outside, "secret.yaml"), join(root, "link.yaml"));
    execFileSync("mkfifo", [join(root, "pipe.yaml")]);
    const project = new SpecIndex().context(join(root, "harness/main.reward.yaml"))?.project;
    assert.ok(project);
    assert.ok(project.read("harness/config.json"));
    for (const file of [
      `../${outside.split("/").at(-1) ?? ""}/secret.yaml`,
      "link.yaml",
      "pipe.yaml",
      "none.yaml",
      "harness",
    ])
      assert.equal(project.read(file), undefined, file);
    rmSync(outside, { recursive: true });
  });

  it("lists the specs of a project, again after every change, and reads any of its files", () => {
    const index = new SpecIndex();
    for (const file of ["evotrainer.yaml", "harness/main.reward.yaml"]) index.add(join(root, file));
    const list = () => index.context(join(root, "evotrainer.yaml"))?.project?.specs() ?? [];
    const names = () => list().map(({ path, name }) => `${path} ${name}`);
    assert.deepEqual(names(), ["evotrainer.yaml sample", "harness/main.reward.yaml main"]);
    assert.equal(list(), list());
    const [before, reward] = [list(), join(root, "harness/main.reward.yaml")];
    index.open(reward, "name: typed\n");
    assert.notEqual(list(), before);
    assert.deepEqual(names(), ["evotrainer.yaml sample", "harness/main.reward.yaml typed"]);
    index.open(join(root, "new.diagnostic.yaml"), "name: [broken\n");
    assert.deepEqual(names(), [
      "evotrainer.yaml sample",
      "harness/main.reward.yaml typed",
      "new.diagnostic.yaml ",
    ]);
    index.close(join(root, "new.diagnostic.yaml"));
    index.close(reward);
    assert.deepEqual(names(), ["evotrainer.yaml sample", "harness/main.reward.yaml main"]);
    const project = index.context(reward)?.project;
    assert.equal(project?.text("harness/config.json"), sampleProject["harness/config.json"]);
    for (const file of ["../x", "none.jsonl", "harness"]) assert.equal(project?.text(file), undefined);
  });

  it("includes the configs that a project names, and no other file", () => {
    const index = new SpecIndex();
    index.add(join(root, "evotrainer.yaml"));
    assert.deepEqual(index.configs(), [join(root, "harness/config.json")]);
    const context = index.context(join(root, "harness/config.json"));
    assert.equal(context?.spec.kind, "config");
    assert.equal(context.path, "harness/config.json");
    assert.equal(index.context(join(root, "other.json")), undefined);
  });

  it("checks a folder without an editor", async () => {
    assert.deepEqual(await checkSpecs(root), []);
    const edit = "  - { file: harness/main.reward.yaml, path: filter.kind, from: std, to: none }";
    write("harness/interventions/a.intervention.yaml", interventionWith(edit).trimStart());
    const found = (await checkSpecs(root)).map(
      ({ file, line, column, code }) => `${file}:${line}:${column} ${code}`,
    );
    const file = "harness/interventions/a.intervention.yaml";
    assert.deepEqual(found, [`${file}:8:45 one-factor`, `${file}:8:64 current-value`]);
  });

  it("counts lines as editors do: a carriage return alone ends one", async () => {
    const file = "harness/interventions/a.intervention.yaml";
    write(file, "name: a\rfactor: b: c\n");
    const places = (await checkSpecs(root)).map(({ line, column }) => `${line}:${column}`);
    assert.ok(places.includes("2:9"), places.join());
  });
});
