import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { verbs } from "../../server/src/commands/verbs.ts";
import { withoutConnections } from "../support/base/connections.ts";
import { hidden, hostile } from "../support/base/hostileText.ts";
import { patience } from "../support/base/patience.ts";
import { programArguments } from "../support/base/program.ts";
import { skipBecause } from "../support/base/skip.ts";
import { hostTool } from "../support/runner/tools.ts";
import { makeHostileProject, writeHostileEvidence, writeHostileHosts } from "./hostileProject.ts";

type Verb = keyof typeof verbs;
type Words = readonly string[];
type Ran = { readonly words: Words; readonly stdout: string; readonly stderr: string };

const cli = resolve(import.meta.dirname, "../../dist/cli.cjs");
const program = resolve(import.meta.dirname, "commandLines.ts");

/** A key that could be somebody's. */
const someKey = "A".repeat(43);

/** What each verb shows of a project in which everything is hostile; a new verb does not compile without its line. */
const shown = (path: { evidence: string; lineage: string }): Readonly<Record<Verb, readonly Words[]>> => ({
  import: [
    [path.evidence, "--version", hostile],
    [path.evidence, "--version", hostile],
    [path.lineage, "--domain", "foreign"],
    [path.lineage],
  ],
  attach: [
    [path.evidence, "--once"],
    [path.evidence, "--once", "--version", hostile],
    [path.evidence, "--once", "--compare", hostile],
    [hostile, "--once"],
    [`${hostile}:runs`, "--once"],
  ],
  init: [["plain"], [hostile]],
  check: [[], ["--format", "json"], ["--format", "github"]],
  lsp: [["--stdio"]],
  mcp: [],
  agents: [["install"], ["install", hostile], ["install", hostile, "--home"]],
  validate: [[join(path.evidence, "rollouts.jsonl")], [join(path.evidence, "metrics.jsonl")]],
  diagnose: [["v1"], ["v3"], [hostile], ["v1", "--with", hostile], ["v1", "--with", "odd.diagnostic.yaml"]],
  curriculum: [["v1"], [hostile], ["v1", "--keep", "2"]],
  pentest: [[hostile], ["odd.py"], ["odd.py", "--prompt", hostile], ["harness/toy.yaml"]],
  gaps: [["v3"], ["v3", "--against", "v1"], ["v3", "--write", hostile], [hostile]],
  rollouts: [
    ["v1"],
    [hostile],
    [hostile, "--search", "it"],
    [hostile, "--search", hostile],
    [hostile, "--where", `item == ${JSON.stringify(hostile)}`],
    ["show", `${hostile}/${hostile}`],
    ["show", `${hostile}/${hostile}2`],
  ],
  label: [
    [hostile, `${hostile}/${hostile}`, "leak", "yes", "--note", hostile],
    [hostile, `${hostile}/${hostile}`, hostile, "yes", "--note", hostile],
    ["queue", hostile],
    ["queue", hostile, "--label", hostile],
  ],
  backtest: [["harness/diagnostics/leak.diagnostic.yaml", "--against", "all"], ["odd.diagnostic.yaml"]],
  compare: [
    ["v1", "v2", "--flips", "--profile", "--candidates"],
    ["v1", "v5", "--flow", "stop"],
    ["v1", "v5", "--flow", "tool"],
    ["v1", "v5", "--labels"],
    ["v1", hostile, "--flips"],
    ["v1", hostile, "--flow"],
  ],
  lineage: [
    ["note", "v1", hostile],
    ["tag", "v1", hostile],
    ["name", "v1", hostile],
    [],
    ["--dot"],
    ["--predictions"],
    ["v1"],
    ["v6"],
    ["--domain", "foreign"],
    ["--domain", hostile],
  ],
  proposers: [[], ["exam"], ["exam", "--domain", "foreign"], ["exam", "--proposer", hostile], [hostile]],
  hint: [[hostile], [hostile, "--version", hostile], [hostile, "--version", "v1"], []],
  cases: [["v1"], [hostile]],
  items: [[], ["v1", hostile]],
  tripwires: [[], [hostile]],
  replay: [[], ["--without", "leak", "--gates", "human"], ["--without", hostile], ["--domain", "foreign"]],
  export: [
    ["--format", "json"],
    ["--out", hostile],
    ["--domain", "foreign", "--out", "report.html"],
  ],
  propose: [
    ["--intervention", "faster", "--parent", "v1"],
    ["--count", "4"],
  ],
  review: [
    [],
    ["v6"],
    ["v6", "revise", "--comment", hostile, "--text", `harness/toy.yaml=${hostile}`],
    ["v6", "reject", "--comment", hostile],
    ["v6"],
    ["v4"],
  ],
  revert: [["v2", "--comment", hostile]],
  trust: [[], [hostile, "--name", "mate"], [someKey, "--name", hostile], [], [hostile, "--remove"]],
  promote: [["v1"], ["v3"]],
  doctor: [["box"], []],
  host: [[], ["add"], ["add", "--ssh", hostile, hostile], ["clean", "box"]],
  calibrate: [[], ["--host", hostile]],
  evolve: [[], ["--host", hostile]],
  jobs: [[], ["--quarantine"], ["--spent"]],
  logs: [["v3-bonus.train.s1"]],
  cancel: [["v3-bonus.train.s1"]],
  rerun: [["v3-bonus.train.s1"]],
  budget: [[]],
  skills: [
    [],
    ["show", "hostile-skill"],
    ["show", hostile],
    ["save", hostile],
    ["save", "v1"],
    ["apply", "hostile-skill"],
    ["apply", hostile],
    ["retire", "hostile-skill", "--because", hostile],
    ["export", "hostile-skill", "--to", hostile],
    ["export", hostile],
    ["import", hostile],
  ],
  archive: [[], ["forget", "--run", hostile, "--delete-files"], ["trim", hostile], ["rebuild"], ["compact"]],
  completion: [
    ["bash"],
    ["words", "--", "compare", ""],
    ["words", "--", "logs", ""],
    ["words", "--", hostile],
  ],
});

/** Prints no result as JSON. */
const withoutJson: readonly string[] = ["lsp", "logs", "completion"];

/** A command and the ones below it that do something. */
function leavesOf(command: Command, words: Words): { readonly command: Command; readonly words: Words }[] {
  if (command.commands.length === 0) return [{ command, words }];
  return command.commands.flatMap((sub) => leavesOf(sub, [...words, sub.name()]));
}

/** Every verb as the table has it, with its arguments, its options and an option that it does not have hostile. */
async function wrongUses(): Promise<Words[]> {
  const uses: Words[] = [[hostile], [`--${hostile}`], ["help", hostile]];
  for (const [name, load] of Object.entries(verbs)) {
    const all = new Command();
    (await load())(all, {
      io: () => assert.fail("no verb runs"),
      cwd: "",
      examples: "",
      serveEditor: () => Promise.resolve(),
      exitWith: () => undefined,
    });
    for (const { command, words } of all.commands.flatMap((verb) => leavesOf(verb, [verb.name()]))) {
      uses.push(
        [...words, "--help"],
        [...words, `--${hostile}`],
        [...words, ...Array<string>(9).fill(hostile)],
      );
      // What serves on standard input ends only with it.
      if (name === "mcp") continue;
      const given = command.registeredArguments.map(() => hostile);
      const options = command.options.flatMap(({ long, required, optional, parseArg }) =>
        long != null && (required || optional)
          ? [{ words: [long, hostile], checked: parseArg !== undefined }]
          : [],
      );
      // The first that is refused ends a command, so each of those stands alone.
      const free = options.filter(({ checked }) => !checked).flatMap((option) => option.words);
      uses.push([...words, ...given, ...free]);
      for (const option of options) if (option.checked) uses.push([...words, ...given, ...option.words]);
    }
  }
  return uses;
}

describe("hostile text in every field and every verb of the command line", function () {
  this.timeout(400_000 * patience);
  const made: string[] = [];
  let root = "";
  let ran: readonly Ran[] = [];
  let wrong: readonly Ran[] = [];
  let environment: NodeJS.ProcessEnv = {};
  let connected: () => readonly string[] = () => [];
  const folder = (): string => {
    const at = mkdtempSync(join(tmpdir(), "evo-hostile-"));
    made.push(at);
    return at;
  };

  /** The bytes that reach both streams, of one process that runs all lines. */
  async function run(lines: readonly { readonly cwd: string; readonly words: Words }[]): Promise<Ran[]> {
    const at = folder();
    const separator = `<${Math.random().toString(36).slice(2)}>`;
    const file = join(at, "lines.json");
    writeFileSync(file, JSON.stringify({ separator, lines }));
    const child = spawn(process.execPath, [...programArguments(program), file], {
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const pieces: { out: Buffer[]; err: Buffer[] } = { out: [], err: [] };
    child.stdout.on("data", (d: Buffer) => pieces.out.push(d));
    child.stderr.on("data", (d: Buffer) => pieces.err.push(d));
    const [code] = (await once(child, "close")) as [number | null];
    const [out, err] = [pieces.out, pieces.err].map((all) =>
      Buffer.concat(all).toString("utf8").split(separator),
    );
    assert.equal(code, 0, err?.at(-1));
    return lines.map(({ words }, i) => ({ words, stdout: out?.[i] ?? "", stderr: err?.[i] ?? "" }));
  }

  before(async () => {
    root = makeHostileProject();
    made.push(root);
    const paths = writeHostileEvidence(root);
    const { hosts, config } = writeHostileHosts(folder());
    const { env, attempts } = withoutConnections(folder());
    connected = attempts;
    environment = { ...process.env, ...env, EVOTRAINER_HOSTS: hosts, EVOTRAINER_SSH_CONFIG: config };
    // No library of whoever runs the test.
    environment["EVOTRAINER_SKILLS"] = join(root, "no-library");
    writeFileSync(
      join(root, "odd.diagnostic.yaml"),
      `apiVersion: evotrainer/v1\nkind: Diagnostic\nname: ${JSON.stringify(hostile)}\nlabel: { when: ${JSON.stringify(hostile)} }\n`,
    );
    mkdirSync(join(root, "harness/skills"));
    writeFileSync(
      join(root, "harness/skills/hostile.skill.yaml"),
      `apiVersion: evotrainer/v1\nkind: Skill\nname: hostile-skill\ndescription: ${JSON.stringify(hostile)}\nwhen: { targets: [low-score], because: ${JSON.stringify(hostile)} }\nfactor: reward\nedit: [{ path: shape, from: ${JSON.stringify(hostile)}, to: ${JSON.stringify(hostile)} }]\nexpects: { metric: solve_rate, direction: increase }\nsource: ${JSON.stringify(hostile)}\n`,
    );
    const working = shown(paths);
    const order: Verb[] = ["evolve", "import"];
    const rest = Object.keys(verbs).filter((verb): verb is Verb => !order.some((first) => first === verb));
    ran = await run(
      [...order, ...rest.filter((verb) => verb !== "archive"), "archive" as const].flatMap((verb) =>
        working[verb].flatMap((words) =>
          (withoutJson.includes(verb) ? [[]] : [[], ["--json"]]).map((json) => ({
            cwd: root,
            words: [...json, verb, ...words],
          })),
        ),
      ),
    );
    wrong = await run((await wrongUses()).map((words) => ({ cwd: root, words })));
  });
  after(() => {
    for (const at of made) rmSync(at, { recursive: true, force: true, maxRetries: 3 });
  });

  const named = ({ words }: Ran): string => JSON.stringify(words).replaceAll(JSON.stringify(hostile), "…");

  it("reaches neither stream as anything but visible text", () => {
    for (const one of [...ran, ...wrong])
      for (const text of [one.stdout, one.stderr]) assert.doesNotMatch(text, hidden, named(one));
  });

  it("begins no line, but in the log that is asked for", () => {
    for (const one of [...ran, ...wrong])
      if (one.words[0] !== "logs") assert.doesNotMatch(one.stdout + one.stderr, /^FORGED/m, named(one));
  });

  it("is shown by each verb, so that the two tests above see it", () => {
    const silent = Object.keys(verbs).filter(
      (verb) =>
        ![...ran, ...wrong].some(
          ({ words, stdout, stderr }) =>
            words.find((w) => w !== "--json") === verb && `${stdout}${stderr}`.includes(String.raw`\x1b[31m`),
        ),
    );
    assert.deepEqual(silent, []);
    assert.ok(
      !ran.some(({ stderr }) => stderr.includes("This is a bug")),
      ran.find(({ stderr }) => stderr.includes("This is a bug"))?.stderr,
    );
  });

  // Every verb ran, an evolution with its jobs among them.
  it("makes no program connect to anything but sockets in the file system", () => {
    assert.deepEqual(connected(), []);
    const asks = `require("node:net").connect(9, "127.0.0.1").on("error", () => {})`;
    spawnSync(process.execPath, ["-e", asks], { env: environment });
    assert.equal(connected().length, 1, "an attempt would be seen");
  });

  it("stands in JSON as it is, and the JSON shows it as codes", () => {
    const documents = ran.filter(
      ({ words, stdout }) =>
        words[0] === "--json" && stdout !== "" && !words.includes("--dot") && !words.includes("github"),
    );
    let same = 0;
    for (const { words, stdout } of documents) {
      const value: unknown = JSON.parse(stdout);
      JSON.stringify(value, (_, v: unknown) => (v === hostile && same++, v));
      assert.ok(value !== undefined, words.join(" "));
    }
    assert.ok(documents.length > 30 && same > 100, `${documents.length} documents, ${same} texts`);
  });

  it("reaches neither stream from the released command line", () => {
    for (const words of [
      ["logs", "v3-bonus.train.s1"],
      ["logs", hostile],
      ["rollouts", "v1"],
      ["mcp", `--${hostile}`],
      [hostile],
    ]) {
      const { stdout, stderr } = spawnSync(process.execPath, [cli, ...words], {
        cwd: root,
        env: environment,
        encoding: "utf8",
      });
      assert.doesNotMatch(stdout, hidden);
      assert.doesNotMatch(stderr, hidden);
      assert.match(stdout + stderr, /\\x1b\[31m/, words[0]);
    }
  });

  it("cannot colour a terminal, while our own colours do", function () {
    if (hostTool("script") === undefined) skipBecause(this, "there is no script(1) that gives a terminal");
    const coloured = { ...environment };
    delete coloured["NO_COLOR"];
    const { stdout } = spawnSync("script", ["-qec", `'${process.execPath}' '${cli}' lineage`, "/dev/null"], {
      cwd: root,
      env: coloured,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    assert.match(stdout, /\u001b\[1m[^\u001b]*Lineage/);
    const rest = stdout.replace(/\u001b\[(?:1|22|2|3[1-9]|9\d)m/g, "").replaceAll("\r\n", "\n");
    assert.doesNotMatch(rest, hidden);
    assert.match(rest, /\\x1b\[31m/);
  });
});
