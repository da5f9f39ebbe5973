import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { HostSpec, RaySpec } from "../../../../shared/spec/host.ts";
import { fuzzRuns, fuzzSeed } from "../../../../test/support/base/fuzz.ts";
import { JobSpec } from "../job/jobSpec.ts";
import { entrypoint, submissionId, submissionOf } from "./raySubmission.ts";

const hostile = fc.oneof(
  fc.constantFrom(
    "-rf",
    "--",
    "$(id)",
    "`id`",
    "';id;'",
    '"',
    "\\",
    "a b",
    "\t",
    "$HOME",
    "*",
    "~",
    "|",
    "&",
    "\n",
  ),
  fc.string({ unit: "binary" }),
);
const path = fc.array(hostile, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
const utf8 = (text: string): string => Buffer.from(text).toString("utf8").replaceAll("\0", "");
const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/);
const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,20}$/);

/** The words that a shell makes of an entrypoint behind `exec sh`. */
function wordsOf(line: string): string[] {
  assert.ok(line.startsWith("exec sh "));
  return execFileSync("sh", ["-c", line.replace("exec sh", "printf '%s\\0'")], { encoding: "utf8" })
    .split("\0")
    .slice(0, -1);
}

describe("the request to Ray", () => {
  it("has an entrypoint made only of our words, whatever the job contains", () => {
    fc.assert(
      fc.property(
        path.map(utf8),
        path.map(utf8),
        fc.array(name, { maxLength: 3 }),
        (keeper, folder, names) => {
          assert.deepEqual(wordsOf(entrypoint(keeper, folder, names)), [keeper, "ray", folder, ...names]);
        },
      ),
      { numRuns: fuzzRuns(100), ...fuzzSeed(1) },
    );
    fc.assert(
      fc.property(hostile, (word) => {
        if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(word))
          assert.throws(() => entrypoint("/keeper.sh", "/runs/a", [word]), /Not the name of a variable/);
      }),
      { numRuns: fuzzRuns(), ...fuzzSeed(2) },
    );
  });

  it("names a job by its folder, in letters that need no escaping in an address", () => {
    fc.assert(
      fc.property(path.map(utf8), path.map(utf8), id, (one, other, job) => {
        const named = submissionId(`${one}/${job}`);
        assert.match(named, /^evo-[0-9a-f]{12}-[A-Za-z0-9][A-Za-z0-9._-]*$/);
        assert.equal(encodeURIComponent(named), named);
        assert.equal(submissionId(`${one}/${job}`), named);
        assert.throws(() => submissionId(`${other}/${job} `));
      }),
      { numRuns: fuzzRuns(), ...fuzzSeed(3) },
    );
  });

  it("tells Ray nothing about the command, its folder and its environment", () => {
    const spec = JobSpec.parse({
      id: "run",
      command: ["secret-command"],
      cwd: "/secret-folder",
      environment: { API_TOKEN: "secret-value" },
      gpus: 2,
      budgetSeconds: 5,
      graceSeconds: 7.5,
    });
    const ray = RaySpec.parse({
      cpus: 1.5,
      memory: "2G",
      resources: { tpu: 4 },
      runtimeEnv: { pip: ["x"], env_vars: { A: "1", RAY_JOB_STOP_WAIT_TIME_S: "0" } },
      metadata: { team: "rl" },
      options: { entrypoint_label_selector: { zone: "a" } },
    });
    const asked = submissionOf(ray, spec, "/k/keeper.sh", "/runs/run");
    assert.ok(!/secret/.test(JSON.stringify(asked)));
    assert.deepEqual(asked, {
      submission_id: submissionId("/runs/run"),
      entrypoint: "exec sh '/k/keeper.sh' 'ray' '/runs/run' 'A' 'RAY_JOB_STOP_WAIT_TIME_S'",
      entrypoint_num_cpus: 1.5,
      entrypoint_num_gpus: 2,
      entrypoint_memory: 2 * 1024 ** 3,
      entrypoint_resources: { tpu: 4 },
      entrypoint_label_selector: { zone: "a" },
      metadata: { team: "rl", evotrainer_run: "run" },
      runtime_env: {
        pip: ["x"],
        env_vars: { A: "1", RAY_JOB_STOP_WAIT_TIME_S: "13", RAY_JOB_STOP_SIGNAL: "SIGTERM" },
      },
    });
    assert.equal(
      "entrypoint_num_gpus" in submissionOf(RaySpec.parse({ gpus: 0 }), spec, "/k", "/runs/run"),
      false,
    );
  });

  for (const [what, ray] of [
    ["an address that is an option", { address: "-oProxyCommand=id:1" }],
    ["an address with a line break", { address: "127.0.0.1:8265\nx" }],
    ["an address without a port", { address: "127.0.0.1" }],
    ["an address with a path", { address: "127.0.0.1:8265/x" }],
    ["a field of the request that EvoTrainer sets", { options: { entrypoint: "id" } }],
    ["a field of the request that is not a resource", { options: { submission_id: "x" } }],
    ["an invalid name of a variable", { runtimeEnv: { env_vars: { "A;id": "1" } } }],
    ["a token from an arbitrary variable", { tokenVariable: "AWS_SECRET_ACCESS_KEY" }],
    ["a token itself", { tokenVariable: "eyJhbGciOi" }],
    ["memory with a space", { memory: "64 G" }],
  ] as const)
    it(`refuses ${what}`, () => {
      assert.equal(RaySpec.safeParse(ray).success, false);
    });

  it("refuses a host with both Slurm and Ray", () => {
    assert.equal(HostSpec.safeParse({ ray: {} }).success, true);
    assert.equal(HostSpec.safeParse({ slurm: {}, ray: {} }).success, false);
  });
});
