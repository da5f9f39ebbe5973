import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { programArguments } from "../support/base/program.ts";
import { booksWith, makeProposerProject, questionIn } from "./proposerQuestion.ts";
import { needsConfinement } from "../support/runner/confined.ts";
import { HarnessError } from "../../server/src/base/errors.ts";
import { readPatch } from "../../server/src/project/patch/readPatch.ts";
import { LocalExecutor } from "../../server/src/runner/local.ts";
import { draftOf, type Idea } from "../../server/src/proposals/draft.ts";
import type { CannotConfine } from "../../server/src/runner/confine/step.ts";
import { agentProposer } from "../../server/src/proposals/agent/agentProposer.ts";
import { unifiedDiff } from "../../server/src/proposals/difference/unifiedDiff.ts";

const keeper = resolve(import.meta.dirname, "../../server/src/runner/keeper/keeper.sh");
const no: CannotConfine = { by: null, reason: "this test does not want it" };

interface Options {
  readonly own?: object;
  readonly confined?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  readonly abortAfter?: number;
}

describe("a coding agent that proposes", function () {
  this.timeout(120_000);
  let root = "";
  let notes = "";
  let outlives = "";
  before(() => {
    root = makeProposerProject({ ".gitignore": "*.cache\n" });
    notes = mkdtempSync(join(tmpdir(), "evo-agent-"));
  });
  after(() => {
    if (outlives !== "" && isRunning(outlives)) process.kill(Number(outlives), "SIGKILL");
    for (const folder of [root, notes]) rmSync(folder, { recursive: true, force: true });
  });
  const executor = (): LocalExecutor =>
    new LocalExecutor({ runsDirectory: join(root, ".evotrainer/runs"), keeper });

  /** Runs a script of sh as the agent. `$N` is a folder for what it notes. */
  const ask = async (
    script: string,
    { own = {}, confined = false, environment = {}, abortAfter }: Options = {},
  ) => {
    const { repository, question } = await questionIn(root);
    const { kept, books } = booksWith();
    const proposer = agentProposer({
      spec: {
        ...{ name: "coder", kind: "agent", command: ["sh", "-c", script], environment: ["N"] },
        ...{ seconds: 60, processes: 64, outputBytes: 1_000_000, feedback: "on" },
        ...own,
      },
      repository,
      folder: join(root, ".evotrainer/proposers"),
      environment: { N: notes, ...environment },
      confinement: () => (confined ? executor().confinement() : Promise.resolve(no)),
      books: () => Promise.resolve(books),
    });
    const signal = abortAfter === undefined ? new AbortController().signal : AbortSignal.timeout(abortAfter);
    let ideas: readonly Idea[] = [];
    let [message, reason] = ["", "none"];
    try {
      ideas = await proposer.propose(question, signal);
    } catch (e) {
      if (!HarnessError.is(e)) throw e;
      ({ message, reason } = e);
    }
    const left = (path: string): string[] =>
      existsSync(join(root, ".evotrainer", path)) ? readdirSync(join(root, ".evotrainer", path)) : [];
    assert.deepEqual([left("worktrees"), left("proposers"), left("proposers.scratch")], [[], [], []]);
    assert.equal(git("status", "--porcelain"), "", "the work tree is as it was");
    return { idea: ideas[0], message, reason, kept };
  };
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" });
  const shape = "sed -i s/^shape:.*/shape:\\ linear/ harness/toy.yaml";

  it("edits a value, says what it expects, and is in the books", async () => {
    const answer = {
      name: "linear-shape",
      because: "Groups \u001b[1mhave one reward.",
      fixes: ["echo-trap"],
      atLeast: 0.03,
    };
    const { idea, kept } = await ask(
      `${shape}; printf '%s' '${JSON.stringify(answer)}' > "$EVO_ANSWER"; echo done`,
    );
    assert.deepEqual(idea?.spec.edit, [
      { file: "harness/toy.yaml", path: "shape", from: "flat", to: "linear" },
    ]);
    const { name, factor, predicts, success, hypothesis } = idea.spec;
    assert.deepEqual(
      [name, factor, predicts.fixes, success.atLeast],
      ["linear-shape", "reward", ["echo-trap"], 0.03],
    );
    assert.equal(hypothesis.because, "Groups \\x1b[1mhave one reward.");
    assert.deepEqual([kept.calls, kept.ended?.drafts], [1, ["linear-shape"]]);
    assert.match(kept.traced, /What it printed last\ndone/);
  });

  it("gets the question, the evidence and the files without the audit split, and no more of the environment than is named", async () => {
    await ask(`cp -r evotrainer-question/. "$N"; ls data > "$N/data"; env > "$N/env"; exit 3`, {
      environment: { SECRET: "hidden" },
    });
    const noted = (name: string): string => readFileSync(join(notes, name), "utf8");
    assert.match(noted("question.md"), /low-score.*look at the shape.*reward: values in harness\/toy\.yaml/s);
    assert.match(noted("lineage.txt"), /evotrainer_lineage/);
    assert.equal(noted("data"), "selection.jsonl\ntrain.jsonl\n");
    assert.doesNotMatch(noted("env"), /SECRET|hidden/);
  });

  it("edits a text, and caches that git ignores are not part of it", async () => {
    const { idea } = await ask(
      `echo 'Think first.' >> harness/prompts/system.md; echo new > harness/prompts/more.md; touch x.cache`,
    );
    assert.equal(idea?.spec.factor, "environment");
    const patches = idea.spec.edit.flatMap((edit) => ("patch" in edit ? readPatch(edit.patch) : []));
    assert.deepEqual(
      patches.map(({ path }) => path),
      ["harness/prompts/more.md", "harness/prompts/system.md"],
    );
    const { question } = await questionIn(root);
    const drafted = await draftOf(idea, { parent: question.parent.source, declared: question.project.spec });
    assert.deepEqual(
      drafted.type === "sound" ? drafted.draft.files.map(({ after }) => after) : drafted.problems,
      ["new\n", "You solve tasks.\nBe brief.\nThink first.\n"],
    );
  });

  it("is told once what was refused, and may correct itself", async () => {
    const { idea, kept } = await ask(
      `if grep -q 'What was refused before' evotrainer-question/question.md; then cp evotrainer-question/question.md "$N/second"; ${shape}; else echo x >> trainer.mjs; fi`,
    );
    assert.equal(idea?.spec.name, "coder");
    assert.match(readFileSync(join(notes, "second"), "utf8"), /trainer\.mjs must stay as it is/);
    assert.match(kept.traced, /Refusal 1\ntrainer\.mjs must stay/);
    assert.equal(kept.calls, 2);
  });

  const refused: readonly (readonly [string, string, RegExp])[] = [
    ["changes nothing", "true", /No file differs/],
    ["changes the evaluator", "echo x >> trainer.mjs", /trainer\.mjs must stay as it is/],
    ["changes the data", "echo x >> data/selection.jsonl", /data\/selection\.jsonl must stay as it is/],
    ["writes an audit split", "echo x > data/audit.jsonl", /data\/audit\.jsonl must stay as it is/],
    [
      "changes evotrainer.yaml",
      "sed -i s/toy/joy/ evotrainer.yaml",
      /on no surface|not on a declared surface|must stay/,
    ],
    [
      "changes a value on no surface",
      "sed -i s/^step_ms:.*/step_ms:\\ 1/ harness/toy.yaml",
      /step_ms in harness\/toy\.yaml is not on a declared surface/,
    ],
    ["adds a value", "echo new: 1 >> harness/toy.yaml", /on no surface of the kind text/],
    [
      "changes two factors",
      `${shape}; sed -i s/^speed:.*/speed:\\ fast/ harness/toy.yaml`,
      /belongs to optimisation, but coder says/,
    ],
    ["writes elsewhere in the project", "echo x > notes.txt", /notes\.txt is on no surface/],
    ["makes a link", "ln -s /etc/passwd harness/prompts/link.md", /link\.md is a symbolic link/],
    [
      "makes a folder a link",
      "rm -r harness/prompts; ln -s /etc harness/prompts",
      /harness\/prompts is a symbolic link/,
    ],
    ["makes a pipe", "mkfifo harness/prompts/pipe", /pipe is neither a file nor a folder/],
    [
      "makes a repository",
      "mkdir -p harness/prompts/.git; echo x > harness/prompts/.git/config",
      /git reads files with such names/,
    ],
    [
      "declares attributes",
      "echo '* filter=x' > harness/prompts/.gitattributes",
      /git reads files with such names/,
    ],
    [
      "declares a submodule",
      "printf '[submodule \"x\"]\\n' > .gitmodules",
      /git reads files with such names/,
    ],
    [
      "writes into the engine's folder",
      "mkdir .evotrainer; echo x > .evotrainer/loop.json",
      /No file differs/,
    ],
    ["writes bytes", "printf '\\377\\376' > harness/prompts/b.md", /not a text in UTF-8/],
    ["writes a zero byte", "printf 'a\\000b' > harness/prompts/b.md", /is no text/],
    ["writes too many files", "mkdir m; for i in $(seq 250); do echo > m/$i; done", /changed 250 files/],
    [
      "answers with a link",
      `${shape}; ln -s /etc/passwd "$EVO_ANSWER"`,
      /answer\.json is not what was asked for/,
    ],
    [
      "answers with nonsense",
      `${shape}; echo '{"fixes": 7}' > "$EVO_ANSWER"`,
      /answer\.json is not what was asked for: fixes/,
    ],
  ];
  for (const [what, script, why] of refused)
    it(`that ${what} is refused by name after its second try`, async () => {
      const { idea, message, reason, kept } = await ask(script);
      assert.equal(idea, undefined);
      assert.equal(reason, "specInvalid");
      assert.match(message, /^coder was run 2 times and its change was refused each time/);
      assert.match(message, why);
      assert.match(kept.ended?.outcome ?? "", why);
    });

  const stopped: readonly (readonly [string, string, object, RegExp])[] = [
    ["never ends", "sleep 600", { seconds: 0.5 }, /had not ended after 0\.5 s/],
    ["prints without end", "yes", { outputBytes: 100_000 }, /printed more than 100000 bytes/],
    [
      "starts too many processes",
      "for i in $(seq 40); do sleep 600 & done; wait",
      { processes: 8 },
      /more than 8 processes/,
    ],
    ["fails", "echo broken; exit 3", {}, /ended with the code 3 and said last: broken/],
    [
      "is not there",
      "",
      { command: ["/no/such/agent"] },
      /ended with the code 127 and said last: .*no\/such\/agent/,
    ],
    ["lacks its key", "", { environment: ["NO_SUCH_KEY"] }, /environment variable NO_SUCH_KEY/],
  ];
  for (const [what, script, own, why] of stopped)
    it(`that ${what} is stopped by name, and nothing of it is taken`, async () => {
      const { idea, message } = await ask(`${shape}; ${script}`, { own });
      assert.equal(idea, undefined);
      assert.match(message, why);
    });

  it("leaves no process behind, in its group or out of it", async () => {
    const { idea } = await ask(
      `${shape}; sleep 611 & echo $! > "$N/pids"; setsid sleep 612 & echo $! >> "$N/pids"; exit 0`,
    );
    assert.equal(idea?.spec.name, "coder");
    for (const pid of readFileSync(join(notes, "pids"), "utf8").trim().split("\n"))
      assert.ok(!isRunning(pid), pid);
  });

  it("ends with the process that runs it, however that ends", async () => {
    const program = join(import.meta.dirname, "agentRunChild.ts");
    const child = spawn(process.execPath, [...programArguments(program), notes], { stdio: "ignore" });
    outlives = await untilWritten(join(notes, "outlives"));
    assert.ok(isRunning(outlives));
    child.kill("SIGKILL");
    await once(child, "exit");
    while (isRunning(outlives)) await delay(20);
  });

  it("ends when the question is cancelled", async () => {
    const { reason } = await ask("sleep 600", { abortAfter: 500 });
    assert.equal(reason, "cancelled");
  });

  describe("on a machine that can confine it", () => {
    before(async function () {
      await needsConfinement(this, executor());
    });

    it("changes its checkout alone, and sees neither the project nor the evaluation as it could change it", async () => {
      writeFileSync(join(notes, "mine"), "mine\n");
      const { idea, kept, message } = await ask(
        `${shape}; ls ${root}; echo x >> trainer.mjs; echo x > "$N/mine"; cat .git; echo end`,
        { confined: true },
      );
      assert.equal(idea?.spec.name, "coder", message);
      assert.match(kept.traced, /How it runs\nConfined/);
      assert.equal(readFileSync(join(notes, "mine"), "utf8"), "mine\n");
      assert.match(kept.traced, /Read-only|read-only/);
      assert.doesNotMatch(kept.traced, /evotrainer\.yaml\ntrainer\.mjs|gitdir:/);
    });

    it("is stopped with all that it started", async () => {
      const { message } = await ask("setsid sleep 613 & sleep 614", { confined: true, own: { seconds: 1 } });
      assert.match(message, /had not ended after 1 s/);
      const running = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
      assert.doesNotMatch(running, /sleep 61[34]/);
    });
  });
});

async function untilWritten(path: string): Promise<string> {
  for (;;) {
    const text = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
    if (text !== "") return text;
    await delay(20);
  }
}

function isRunning(pid: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !["Z", "X"].includes(stat.slice(stat.lastIndexOf(")") + 2).charAt(0));
  } catch {
    return false;
  }
}

describe("the diff of an agent's text", () => {
  const cases: readonly (readonly [string, string | null, string | null])[] = [
    ["a line in the middle", "a\nb\nc\nd\ne\nf\ng\n", "a\nb\nc\nD\ne\nf\ng\n"],
    ["two places far apart", "x\n".repeat(30), `y\n${"x\n".repeat(28)}z\n`],
    ["a new file", null, "a\nb\n"],
    ["a file that is gone", "a\nb\n", null],
    ["an end without a line end", "a\nb", "a\nc"],
    ["all of it", "a\nb\nc\n", "d\n"],
    ["an empty file filled", "", "a\n"],
  ];
  for (const [what, before, after] of cases)
    it(`makes the one of the other: ${what}`, async () => {
      const { applyPatch } = await import("../../server/src/project/patch/applyPatch.ts");
      const [part, ...others] = readPatch(unifiedDiff({ path: "f.md", before, after }));
      assert.ok(part !== undefined && others.length === 0);
      assert.equal(applyPatch(part, before), after);
    });
});
