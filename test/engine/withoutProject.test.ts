import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeTestRepository } from "../support/lineage/repository.ts";
import { evotrainer, type Ran } from "./cli.ts";
import { verlSample } from "./importAnswers.ts";

const diagnostic = (name: string, label: string, rest = ""): string =>
  `apiVersion: evotrainer/v1\nkind: Diagnostic\nname: ${name}\nlabel:\n  ${label}\n${rest}`;
const low = diagnostic("low", "when: reward < 0.5");

describe("diagnostics without a project", function () {
  this.timeout(120_000);
  let cwd = "";
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), "evo-without-"));
  });
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));
  const write = (name: string, text: string): void => writeFileSync(join(cwd, name), text);
  const run = (...args: string[]): Ran => evotrainer(cwd, ...args);
  const bring = (version = "v0"): void => {
    write(`${version}.jsonl`, verlSample() + verlSample({ score: 0 }) + verlSample({ score: 0.2 }));
    const { code, stderr } = run("import", `${version}.jsonl`, "--version", version, "--run", version);
    assert.equal(code, 0, stderr);
  };
  /** What one command prints, and that it ended well or with a finding. */
  const says = (args: readonly string[], out: RegExp, err = /^$/): void => {
    const { code, stdout, stderr } = run(...args);
    assert.match(stdout, out);
    assert.match(stderr, err);
    assert.ok(code === 0 || code === 2, `${code ?? ""} ${stderr}`);
  };
  const refuses = (args: readonly string[], err: RegExp): void => {
    const { code, stdout, stderr } = run(...args);
    assert.match(stderr, err);
    assert.ok(code === 1 || code === 2, `${code ?? ""}`);
    assert.equal(stdout, "");
  };

  it("label rollouts that were imported into their folder: with counts, in lists and in comparisons", () => {
    bring();
    bring("v1");
    write("my.diagnostic.yaml", low);
    // As a file that --with names: at once, and as the file is now.
    says(["rollouts", "v0", "--label", "low"], /^v0, train split: 2 rollouts,/);
    write("my.diagnostic.yaml", low.replace("reward < 0.5", "reward <= 1.0"));
    says(["rollouts", "v0", "--label", "low"], /^v0, train split: 3 rollouts,/);
    write("my.diagnostic.yaml", low);
    says(["diagnose", "v0"], /\n {2}low +2 +66\.7 %/);
    const { questions } = JSON.parse(run("--json", "label", "queue", "v0", "--label", "low").stdout) as {
      readonly questions: readonly {
        readonly run: string;
        readonly id: string;
        readonly labelled: boolean;
      }[];
    };
    const asked = questions.find(({ labelled }) => labelled);
    assert.ok(asked, "a rollout with the label is asked about");
    const answer = run("label", "v0", `${asked.run}/${asked.id}`, "low", "no");
    assert.equal(answer.code, 0, answer.stderr);
    says(
      ["rollouts", "v0", "--label", "low"],
      /^v0, train split: 2 rollouts,[^]*\blow\nlow: people, [a-z-]+ items: precision 0 % \[0\.0, 79\.3\] \(0 of 1 right\), recall unknown/,
    );
    refuses(["rollouts", "v0", "--label", "lwo"], /^There is no label lwo\. Did you mean low\?\n$/);
    for (const verb of [
      ["gaps", "v0", "--without", "lwo"],
      ["label", "queue", "v0", "--label", "lwo"],
      ["label", "v0", `${asked.run}/${asked.id}`, "lwo", "yes"],
    ])
      refuses(verb, /^There is no label lwo: no diagnostic over rollouts .* Did you mean low\?\n$/);
    refuses(["backtest", "dead-group"], /^The diagnostic dead-group labels groups; this needs one that/);
    says(
      ["compare", "v0", "v1", "--labels"],
      /\nlow +66\.7 % \(2\/3\) +66\.7 % \(2\/3\)[^]*\nlow: people, [a-z-]+ items: precision 0 %/,
    );
    says(["compare", "v0", "v1", "--flow", "label"], /^From v0 \(rows\) to v1/);
    says(["backtest", "low", "--against", "v0"], /^low, revision /);
    says(["gaps", "v0", "--without", "low"], /^v0, train split, 3 rollouts/);
    says(["diagnose", "v0"], /\n {2}low +2 +66\.7 %\n {4}people, [a-z-]+ items: precision 0 %/);
    const line = "low: people, [a-z-]+ items: precision 0 %";
    mkdirSync(join(cwd, "their"));
    write("their/1.jsonl", verlSample({ score: 0 }) + verlSample({ score: 1 }));
    says(["attach", "their", "--once"], new RegExp(`\n {2}low +50\\.0 %[^]*\n {2}${line}`));
    write("my.diagnostic.yaml", diagnostic("low", "when: reward < 0.5", "alert: { above: 0.1 }\n"));
    const all = run("diagnose").stdout;
    assert.match(all, new RegExp(`\nv1 [^\n]*warning: low\n[^]*\n${line}`));
    const { people } = JSON.parse(run("--json", "diagnose").stdout) as { people?: { label: string }[] };
    assert.deepEqual(
      people?.map(({ label }) => label),
      ["low"],
    );
    says(["check"], /^No problem in any spec\.\n$/, /^Not tried|^$/);
  });

  it("and those of the library say a line of each version, where none is named", () => {
    bring();
    bring("v1");
    write("my.diagnostic.yaml", diagnostic("low", "when: reward < 0.5", "alert: { above: 0.1 }\n"));
    const { code, stdout, stderr } = run("diagnose");
    assert.equal(code, 1, stderr);
    assert.match(stdout, /^2 versions\n\nversion +split +rollouts +solve rate +findings\n/);
    assert.match(stdout, /\nv0 +train +3 +unknown +warning: low\nv1 +train +3 +unknown +warning: low\n/);
    assert.match(stdout, /`evotrainer diagnose <version>` says more about one of them\.\n$/);
    const json = run("--json", "diagnose");
    assert.equal(json.code, 1, json.stderr);
    const { versions } = JSON.parse(json.stdout) as {
      versions: { version: string; findings: { name: string }[] }[];
    };
    assert.deepEqual(
      versions.map(({ version }) => version),
      ["v0", "v1"],
    );
    assert.ok(versions.every(({ findings }) => findings.some(({ name }) => name === "low")));
  });

  it("and what nobody has labelled yet is not said to have no label", () => {
    write("v0.jsonl", verlSample({ output: "Stop. ".repeat(400) }));
    assert.equal(run("import", "v0.jsonl", "--version", "v0").code, 0);
    const sets = "`evotrainer diagnose v0 --split train` sets them";
    says(["rollouts"], new RegExp(`\\nThe labels are not set yet; ${sets}\\.\\n$`));
    const [name = ""] = /^v0\/\S+/m.exec(run("rollouts").stdout) ?? [];
    says(["rollouts", "show", name], new RegExp(`\\nlabels: not set yet, ${sets}\\n`));
    write("all.diagnostic.yaml", diagnostic("all", "when: n_turns > 0"));
    says(["rollouts"], new RegExp(`\\nThe labels of other diagnostics are not set yet; ${sets}\\.\\n$`));
    run("diagnose");
    says(["rollouts"], /all, [^\n]*\n$/);
    says(["rollouts", "show", name], /\nlabels: all, /);
  });

  it("and nothing is said of a step where what was imported knows none", () => {
    write(
      "session.jsonl",
      [
        { type: "user", sessionId: "s", uuid: "1", message: { role: "user", content: "Mend it." } },
        {
          type: "assistant",
          sessionId: "s",
          uuid: "2",
          parentUuid: "1",
          message: { role: "assistant", content: [{ type: "text", text: "Done." }] },
        },
      ]
        .map((line) => `${JSON.stringify({ ...line, timestamp: "2026-01-01T00:00:00Z" })}\n`)
        .join(""),
    );
    const { code, stderr } = run("import", "session.jsonl", "--version", "v0");
    assert.equal(code, 0, stderr);
    const json = JSON.parse(run("--json", "rollouts").stdout) as { rollouts: { step: number | null }[] };
    assert.deepEqual(
      json.rollouts.map(({ step }) => step),
      [null],
    );
    const [name = ""] = /^\S+\/\S+/m.exec(run("rollouts").stdout) ?? [];
    says(["rollouts", "show", name], /\nversion v0, selection split, item /);
  });

  it("say what changed between two runs that only have rollouts of training, and compare says so", () => {
    bring();
    bring("v1");
    refuses(
      ["compare", "v0", "v1"],
      /^v0 has no rollouts of the selection split, by which versions are compared\. It has 3 rollouts of the train split: `evotrainer compare v0 v1 --labels` says [^\n]*--split selection\.\n$/,
    );
    says(["compare", "v0", "v1", "--labels"], /^Labels from v0 to v1, train split\n/);
  });

  it("may be anywhere, if --with names them", () => {
    bring();
    bring("v1");
    mkdirSync(join(cwd, "mine"));
    write("mine/low.diagnostic.yaml", low);
    const file = ["--with", "mine/low.diagnostic.yaml"];
    says(["rollouts", "v0", "--label", "low", ...file], /^v0, train split: 2 rollouts,/);
    says(["rollouts", "show", "v1/v1-2", ...file], /\nlabels: low\n/);
    says(["diagnose", "v0", ...file], /\n {2}low +2 +66\.7 %/);
    says(["compare", "v0", "v1", "--labels", ...file], /\nlow +66\.7 %/);
    says(["compare", "v0", "v1", "--flow", "label", ...file], /^From v0 \(rows\) to v1/);
    says(["gaps", "v0", "--without", "low", ...file], /^v0, train split/);
    // The next diagnosis without it takes its labels off again.
    says(["diagnose", "v0"], /^(?![^]*\blow\b)/);
  });

  it("count instead of those with the same name: a given file first, then one of the folder", () => {
    bring();
    write("my.diagnostic.yaml", diagnostic("empty-completion", "when: reward < 0.1"));
    const notes =
      "my.diagnostic.yaml is used instead of library/empty-completion.diagnostic.yaml: both have the name empty-completion.\n";
    says(["diagnose", "v0"], /\n {2}empty-completion +1 /, new RegExp(`^${notes}$`));
    write("other.yaml", diagnostic("empty-completion", "when: reward < 0.5"));
    const instead =
      "other.yaml is used instead of my.diagnostic.yaml: both have the name empty-completion.\n";
    says(
      ["diagnose", "v0", "--with", "other.yaml"],
      /\n {2}empty-completion +2 /,
      new RegExp(`^${notes}${instead}$`),
    );
    says(
      ["diagnose", "v0", "--with", "./my.diagnostic.yaml"],
      /\n {2}empty-completion +1 /,
      new RegExp(`^${notes}$`),
    );
  });

  it("are refused with file, line and advice where they are wrong; in the folder the others go on", () => {
    bring();
    const wrong = diagnostic("low", "when: rewrd < 0.5");
    const told = ":5: label.when: Unknown variable: rewrd. Did you mean reward? Correct this line.";
    write("my.diagnostic.yaml", wrong);
    for (const verb of ["diagnose", "rollouts"])
      says(
        [verb, "v0"],
        /^v0/,
        new RegExp(`^Left out: my\\.diagnostic\\.yaml${told.replace("?", "\\?")}\n$`),
      );
    for (const verb of [
      ["diagnose"],
      ["rollouts"],
      ["rollouts", "show", "v0/v0-1"],
      ["gaps"],
      ["compare", "v0", "v0"],
    ])
      refuses(
        [...verb, "--with", "my.diagnostic.yaml"],
        /^my\.diagnostic\.yaml:5: label\.when: Unknown variable/,
      );
    assert.match(run("check").stdout, /^my\.diagnostic\.yaml:5:9: error: .*rewrd/);
    write("none.yaml", "apiVersion: evotrainer/v1\nkind: Diagnostic\nname: none\nlable: {}\n");
    refuses(["diagnose", "--with", "none.yaml"], /^none\.yaml:\d: .*lab.* Correct this line\./);
    refuses(["diagnose", "--with", "gone.yaml"], /^There is no file gone\.yaml; give --with the path of/);
    refuses(["diagnose", "--with", "."], /^\. cannot be read; give --with the path of/);
    write("two.yaml", low);
    write("three.yaml", `${low}params: { x: 1 }\n`);
    refuses(
      ["diagnose", "--with", "two.yaml", "--with", "three.yaml"],
      /^three\.yaml:3: The name low is already used by two\.yaml;/,
    );
    write("my.diagnostic.yaml", `${low}domains: [swe]\n`);
    says(
      ["diagnose", "v0"],
      /^v0/,
      /^my\.diagnostic\.yaml is not used: it is only for swe, and this evidence is of imported\.\n$/,
    );
  });

  it("run nothing beside the data, unless it is named", () => {
    bring("v0");
    writeFileSync(join(cwd, "ours.sh"), "touch ran; cat >/dev/null");
    const runs = diagnostic("runs", "analyzer: { command: [sh, ours.sh] }");
    write("runs.diagnostic.yaml", runs);
    says(
      ["diagnose", "v0"],
      /^v0/,
      /^Left out: runs\.diagnostic\.yaml:\d+: It runs a program, so outside of a project it is used only when you name it: --with runs\.diagnostic\.yaml\.\n$/,
    );
    assert.ok(!existsSync(join(cwd, "ran")));
    evotrainer(cwd, "diagnose", "v0", "--with", "runs.diagnostic.yaml");
    assert.ok(existsSync(join(cwd, "ran")));
  });

  it("say what to do where there are no rollouts", () => {
    write("my.diagnostic.yaml", low);
    for (const verb of ["diagnose", "rollouts", "gaps"])
      refuses(
        [verb],
        /^There are no rollouts in .* yet that my\.diagnostic\.yaml could label; bring some in with `evotrainer import <path>`\.\n$/,
      );
  });

  it("are not part of a project's harness, and the command says so", () => {
    const project = `apiVersion: evotrainer/v1
kind: Project
name: toy
domain: toy
trainer: { command: [node, trainer.mjs] }
evaluation:
  splits: { train: data/train.jsonl, selection: data/selection.jsonl, audit: data/audit.jsonl }
surfaces: [{ factor: reward, file: harness/toy.yaml }]
`;
    const own = diagnostic("own", "when: reward < 0.1");
    const made = makeTestRepository({
      "evotrainer.yaml": project,
      ".gitignore": ".evotrainer\n",
      "harness/diagnostics/own.diagnostic.yaml": own,
      // Without a project it would count.
      "stray.diagnostic.yaml": diagnostic("stray", "when: reward < 2.0"),
    });
    rmSync(cwd, { recursive: true, force: true });
    cwd = made.root;
    bring("base");
    says(["diagnose", "base"], /^(?![^]*stray)[^]*\n {2}own +1 /);
    write("low.yaml", low);
    const outside = /^low\.yaml is not part of the harness: it is used for this command only\.\n$/;
    says(["diagnose", "base", "--with", "low.yaml"], /\n {2}low +2 /, outside);
    write("mine.yaml", diagnostic("own", "when: reward < 0.5"));
    says(
      ["diagnose", "base", "--with", "mine.yaml"],
      /\n {2}own +2 /,
      /^mine\.yaml is not part [^\n]*\nmine\.yaml is used instead of harness\/diagnostics\/own\.diagnostic\.yaml: both have the name own\.\n$/,
    );
    says(["diagnose", "base", "--with", "harness/diagnostics/own.diagnostic.yaml"], /\n {2}own +1 /);
    assert.equal(made.git("status", "--porcelain", "--", "harness"), "");
  });
});
