import assert from "node:assert/strict";
import { factsOf, statusOf } from "./jobDirectory.ts";
import { recorded } from "../../../../test/support/ray/recordedRay.ts";
import { couldStart, failureOf, lostByRay, waitsInRay, wordsOf } from "./rayStates.ts";

const messageOf = (name: string): string => {
  const body = recorded[name]?.body;
  if (typeof body === "string") return body;
  return typeof body === "object" && body !== null && "message" in body ? String(body.message) : "";
};

describe("the states of a Ray job", () => {
  for (const [name, words, failure] of [
    ["failed", /^why$/, "JOB_ENTRYPOINT_COMMAND_ERROR"],
    [
      "unstartable",
      /^ValueError: \/nonexistent\/x is not a valid path\.$/,
      "JOB_SUPERVISOR_ACTOR_START_FAILURE",
    ],
    ["environment", /^requests\.exceptions\.ConnectionError: /, "RUNTIME_ENV_SETUP_FAILURE"],
    ["gaveUp", /^Job supervisor actor failed to start within/, "JOB_SUPERVISOR_ACTOR_START_TIMEOUT"],
    ["died", /worker process has died/, "-"],
    ["exists", /already exists/, "-"],
    ["unknownField", /^TypeError: .*unexpected keyword argument/, "-"],
  ] as const)
    it(`fit into one line: ${name}`, () => {
      assert.match(wordsOf(messageOf(name)), words);
      // Releases that name no class of failure say the same.
      assert.equal(failureOf(undefined, messageOf(name)), failure);
      assert.equal(couldStart(`${failure} words`), failure === "-");
    });

  it("say why a job waits or was lost", () => {
    assert.equal(
      waitsInRay(`PENDING ${messageOf("waiting")}`),
      "Ray says PENDING (It may be waiting for resources (CPUs, GPUs, memory, custom resources) to become available)",
    );
    assert.equal(waitsInRay("RUNNING"), null);
    assert.equal(waitsInRay(""), null);
    assert.equal(lostByRay("FAILED", "-"), "Ray ended it as FAILED");
    assert.equal(lostByRay("FAILED", "X \u001b[31mred\u0007"), "Ray ended it as FAILED: red");
    assert.equal(lostByRay("GONE", ""), "Ray no longer knows it");
  });

  const at = new Date(0);
  const job = (entries: Readonly<Record<string, string>>) =>
    statusOf(
      "j",
      factsOf(new Map(Object.entries(entries).map(([name, line]) => [name, { line, modified: at }]))),
      at,
    );
  const began = { job: "", "ray.job": "evo-1-j", keeper: "1 2 3 boot", pid: "2 3 boot 1 1" };
  const ended = { ...began, "code.7": "" };
  for (const [what, entries, expected] of [
    [
      "the exit code does not count before Ray has reported",
      { ...ended, exit: "code.7 100 1 " },
      ["running", null, false],
    ],
    [
      "after that, the exit code is the job's",
      { ...ended, exit: "code.7 100 1 ", "ray.end": "FAILED JOB_ENTRYPOINT_COMMAND_ERROR x" },
      ["exited", 7, false],
    ],
    [
      "if somebody stopped the job, the job counts as cancelled",
      { ...ended, exit: "code.7 100 1 ", "ray.end": "STOPPED -" },
      ["exited", 7, true],
    ],
    [
      "a success needs no report from Ray",
      { ...began, "code.0": "", exit: "code.0 1 1 " },
      ["exited", 0, false],
    ],
    [
      "a job that Ray took away is lost, whatever Ray reports",
      {
        ...began,
        "code.0": "",
        exit: "ray.orphaned 1 1 ",
        "ray.end": "FAILED JOB_SUPERVISOR_ACTOR_DIED died",
      },
      ["lost", null, false],
    ],
    [
      "a job that ended with its keeper is lost",
      { ...began, exit: "ray.killed 1 1 ", "ray.end": "FAILED JOB_SUPERVISOR_ACTOR_DIED died" },
      ["lost", null, false],
    ],
    [
      "a job that could not start is not lost",
      {
        job: "",
        "ray.job": "x",
        exit: "unstarted.killed 0 1 ",
        "ray.end": "FAILED RUNTIME_ENV_SETUP_FAILURE pip",
      },
      ["exited", null, false],
    ],
  ] as const)
    it(`decide how a job ended: ${what}`, () => {
      const { state, exitCode, cancelled } = job(entries);
      assert.deepEqual([state, exitCode, cancelled], expected);
    });
});
