import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { fixtureSet } from "../support/evidence/import.ts";
import { evotrainer, type Ran } from "./cli.ts";
import { answer, Diagnosed, ImportReport, Page, Shown, Status } from "./importAnswers.ts";
import { patience } from "../support/base/patience.ts";

describe("import of the real files", function () {
  this.timeout(120_000);
  let cwd = "";
  let fixtures = "";
  let report: z.infer<typeof ImportReport>;
  /** What another terminal was told while the import ran. */
  const meanwhile: z.infer<typeof Status>[] = [];

  const page = (version: string, ...args: string[]): z.infer<typeof Page> =>
    answer(Page, evotrainer(cwd, "--json", "rollouts", version, ...args), 0);
  const where = (version: string, condition: string): z.infer<typeof Page> =>
    page(version, "--where", condition, "--limit", "200");
  const show = (run: string, id: string): z.infer<typeof Shown>["rollout"] =>
    answer(Shown, evotrainer(cwd, "--json", "rollouts", "show", `${run}/${id}`), 0).rollout;
  const all = (version: string): z.infer<typeof Page>["rollouts"] => {
    const rows: z.infer<typeof Page>["rollouts"] = [];
    let cursor: string | undefined;
    do {
      const found = page(version, "--limit", "600", ...(cursor === undefined ? [] : ["--cursor", cursor]));
      rows.push(...found.rollouts);
      cursor = found.next;
    } while (cursor !== undefined);
    return rows;
  };
  const rolloutsOf = (run: string): number | undefined => report.runs.find((r) => r.run === run)?.rollouts;

  before(async function () {
    fixtures = fixtureSet(this, ".");
    cwd = mkdtempSync(join(tmpdir(), "evo-import-"));
    const cli = resolve(import.meta.dirname, "../../dist/cli.cjs");
    const child = spawn(process.execPath, [cli, "--json", "import", fixtures], {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    const ended = once(child, "close");
    const deadline = Date.now() + 60_000 * patience;
    while (
      !existsSync(join(cwd, ".evotrainer", "owner.json")) &&
      child.exitCode === null &&
      Date.now() < deadline
    )
      await new Promise((again) => setTimeout(again, 20));
    const asked = spawn(process.execPath, [cli, "--json", "archive", "status"], {
      cwd,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const told: Buffer[] = [];
    asked.stdout.on("data", (chunk: Buffer) => told.push(chunk));
    await once(asked, "close");
    assert.equal(child.exitCode, null, "the import is over before another terminal was answered");
    meanwhile.push(Status.parse(JSON.parse(Buffer.concat(told).toString("utf8"))));
    await ended;
    // The lineages among the files need a project, and two records are quarantined: that is worth an exit code.
    const ran: Ran = {
      code: child.exitCode,
      stdout: Buffer.concat(out).toString("utf8"),
      stderr: Buffer.concat(err).toString("utf8"),
    };
    report = answer(ImportReport, ran, 1);
  });
  after(() => rmSync(cwd, { recursive: true, force: true }));

  it("answers another terminal while it runs", () => {
    const [told] = meanwhile;
    assert.ok(told !== undefined);
    const rollouts = told.versions.reduce((n, v) => n + v.rollouts, 0);
    assert.ok(
      rollouts <= 3200 && told.evidenceFiles <= 250,
      `${rollouts} rollouts of ${told.evidenceFiles} files`,
    );
  });

  it("counts the records of each set", () => {
    assert.deepEqual(
      [report.rollouts, report.metrics, report.quarantined, report.files.read],
      [3200, 1520, 2, 250],
    );
    assert.deepEqual(Object.fromEntries(report.coverage.map((c) => [c.format, c.rollouts])), {
      verl: 1152,
      verifiers: 1372,
      "nemo-gym": 130,
      "tinker-rewardhack": 40,
      "mini-swe-agent": 24,
      openhands: 111,
      "swe-agent": 27,
      "tau-bench": 200,
      inspect: 40,
      dgm: 58,
      atif: 5,
      "gemini-cli": 1,
      "who-and-when": 40,
    });
    assert.deepEqual(
      ["agent_sweagent_demos", "agent_sweagent_claude35_verified", "hecate_rollouts_2", "1_8601a960"].map(
        rolloutsOf,
      ),
      [22, 5, 1024, 128],
    );
    assert.equal(report.runs.filter((r) => r.format === "verifiers").length, 48);
    assert.equal(report.runs.filter((r) => r.metricSteps > 0).length, 15);
  });

  it("says what it refused and what it set aside, and why", () => {
    assert.deepEqual(
      report.problems.map((p) => `${p.path.slice(fixtures.length + 1)}:${p.line}`),
      [
        "agent_dgm_initial/metadata.json:59",
        "agent_inspect_logs/official_tests/analysis__test_logs__2025-05-12T20-28-13-04-00_no-samples.json:1",
      ],
    );
    assert.equal(report.files.refused, 2);
    assert.match(report.refused.map((r) => r.reason).join("\n"), /SQLite[^]*lineages \(.*evotrainer init/);
  });

  it("does not list as unknown a file that belongs to a known one", () => {
    const left = report.unrecognised.map((p) => p.path.slice(fixtures.length + 1));
    assert.equal(report.files.unrecognised, left.length);
    const known =
      /metadata\.json$|report\.json$|transcripts|best_program|_aggregate_|\.summarization|preds\.json$/;
    assert.deepEqual(
      left.filter((path) => known.test(path)),
      [],
    );
    // Prose, and files that no tool of ours wrote.
    assert.equal(left.filter((path) => !/PROVENANCE\.md$|DERIVED_/.test(path)).length, 16);
  });

  it("names the diagnostics that a format disables", () => {
    const of = (format: string): string[] =>
      report.disabled
        .filter((d) => d.format === format && !d.diagnostic.startsWith("stop-"))
        .filter(({ needs }) => !needs.join().startsWith("the domain "))
        .map((d) => `${d.diagnostic}: ${d.needs.join()}`);
    const uncertain = ["exploration-collapse: logprob_mean", "high-logprob: logprob_mean"];
    assert.deepEqual(of("inspect"), uncertain);
    assert.deepEqual(of("tau-bench"), ["stop reasons: stop_reason", ...uncertain, "length-gaming: tokens"]);
    for (const expected of ["solve rate: outcome", "stop reasons: stop_reason", "nothing-solved: outcome"])
      assert.ok(of("verl").includes(expected), expected);
    // There are calls of tools in airline bookings, and nothing to edit or to test.
    assert.deepEqual(
      report.disabled.find((d) => d.format === "tau-bench" && d.diagnostic === "never-edits")?.needs,
      ["the domain swe"],
    );
  });

  it("shows the empty completions of vf-eval gsm8k/0036a836", () => {
    const found = where("gsm8k--gpt-4.1-mini.0036a836", '!turns.exists(t, t.role == "assistant")');
    assert.deepEqual([found.total, found.unknown], [150, 150]);
    assert.equal(rolloutsOf("gsm8k--gpt-4.1-mini.0036a836"), 150);
  });

  it("shows the correct answers that math_python/6b596d7f scores 0", () => {
    const run = "math-python--gpt-4.1-mini.6b596d7f";
    assert.equal(rolloutsOf(run), 15);
    const scoredNothing = where(run, "reward == 0.0");
    assert.equal(scoredNothing.total, 15);
    const boxed = where(
      run,
      ["0", "98", "4", "17", "6"]
        .map((n) => String.raw`turns.exists(t, t.role == "assistant" && t.text.contains("\\boxed{${n}}"))`)
        .join(" || "),
    );
    assert.equal(boxed.total, 15);
    for (const { id } of scoredNothing.rollouts.slice(0, 3)) {
      const { turns, extra } = show(run, id);
      assert.equal(/\\boxed\{(.*)\}/.exec(turns.at(-1)?.text ?? "")?.[1], extra["answer"]);
    }
  });

  it("shows the score and the format mismatch of the verl step-1 dump", () => {
    const run = "1_8601a960";
    assert.equal(where(run, "reward == 0.0").total, 126);
    const format = String.raw`turns.exists(t, t.role == "assistant" && t.text.matches("#### -?[0-9]"))`;
    assert.deepEqual([where(run, `!${format}`).total, where(run, format).total], [121, 7]);
  });

  it("shows the calls of the tool that reveals the reward, and the 64 groups, of the hecate dump", () => {
    const run = "hecate_rollouts_2";
    const reveals = 'turns.filter(t, t.text.contains("Current parsed answer")).size()';
    assert.equal(where(run, `${reveals} > 1`).total, 519);
    // In two of them the policy wrote the tool's second answer itself.
    const real = reveals.replace("t, ", 't, t.role == "tool" && ');
    const invented = where(run, `${reveals} > 1 && ${real} == 1`);
    const lines = invented.rollouts.map(
      ({ id }) => show(run, id).turns.filter((t) => t.role === "tool").length,
    );
    assert.deepEqual(lines, [1, 1]);
    const groups = new Map<string, number>();
    for (const { group } of all(run)) groups.set(group, (groups.get(group) ?? 0) + 1);
    assert.deepEqual([groups.size, new Set(groups.values())], [64, new Set([16])]);
  });

  it("diagnoses the dead training of qwen3-0.6b", () => {
    const version = "qwen3-0.6b-function-reward-minimal-fsdp-size1";
    const { training, findings } = answer(Diagnosed, evotrainer(cwd, "--json", "diagnose", version), 1);
    const of = (role: string): unknown => {
      const found = training.key.find((m) => m.role === role);
      return [found?.steps, found?.min, found?.max];
    };
    assert.deepEqual(
      [of("score"), of("grad_norm")],
      [
        [100, 0, 0],
        [100, 0, 0],
      ],
    );
    const length = training.key.find((m) => m.role === "response_length");
    assert.deepEqual([length?.steps, length?.max], [100, 256]);
    assert.deepEqual(
      findings.map((f) => `${f.severity} ${f.name}`),
      [
        ...["constant-score", "dead-training", "truncation", "zero-policy-loss"].map((n) => `critical ${n}`),
        // Shown below truncation.
        "warning pinned-length",
      ],
    );
  });

  it("keeps the 8 infrastructure exits of mini-swe-agent undecided", () => {
    const unknown = report.coverage.find((c) => c.format === "mini-swe-agent")?.unknown ?? [];
    const broke = unknown.flatMap(({ reason, rollouts }) => {
      const [, error] = /^the run broke with (\w+)/.exec(reason) ?? [];
      return error === undefined ? [] : [`${error} ${rollouts}`];
    });
    assert.deepEqual(broke.sort(), ["InternalServerError 4", "Timeout 4"]);
    const runs = report.runs.filter((r) => r.format === "mini-swe-agent").map((r) => r.version);
    const stops = runs.flatMap((run) => all(run).map((r) => r.stop_reason));
    assert.equal(
      stops.filter((reason) => reason === "InternalServerError" || reason === "Timeout").length,
      8,
    );
  });

  it("lists, sorts, filters and searches the 84 solved and 116 failed of tau-bench", () => {
    const { total, pass, fail, unknown } = page("gpt-4o-airline");
    assert.deepEqual([total, pass, fail, unknown], [200, 84, 116, 0]);
    const found = page(
      "gpt-4o-airline",
      "--sort",
      "reward",
      "--desc",
      "--outcome",
      "fail",
      "--search",
      "certificate",
    );
    assert.ok(found.rollouts.length > 0);
    for (const row of found.rollouts) {
      assert.equal(row.outcome, "fail");
      const { snippet } = z.looseObject({ snippet: z.object({ hit: z.string() }) }).parse(row);
      assert.equal(snippet.hit, "certificate");
    }
  });

  it("changes nothing the second time", () => {
    const again = answer(
      ImportReport,
      evotrainer(cwd, "--json", "import", join(fixtures, "rl_verl_rollout_dump")),
      0,
    );
    assert.deepEqual([again.files.read, again.files.unchanged, again.rollouts], [0, 2, 0]);
    assert.equal(again.coverage[0]?.rollouts, 1152);
  });
});
