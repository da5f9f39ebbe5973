import assert from "node:assert/strict";
import { factsOf, statusOf } from "./jobDirectory.ts";
import { recorded } from "../../../../test/support/ray/recordedRay.ts";
import { couldStart, failureOf, lostByRay, waitsInRay, wordsOf } from "./rayStates.ts";

const messageOf = (name: string): string => {
  const body = recorded[name]?.body;
  if (typeof body === "string") return body;
  return typeof body === "object" && body !== null && "message" in body ? String(body.message) : "";
};

describe("what Ray says", () => {
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
    it(`is told in one line: ${name}`, () => {
      assert.match(wordsOf(messageOf(name)), words);
      // Releases that name no class of failure say the same.
      assert.equal(failureOf(undefined, messageOf(name)), failure);
      assert.equal(couldStart(`${failure} words`), failure === "-");
    });

  it("is why a job waits, or was lost", () => {
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
      "a code counts once Ray has said its word",
      { ...ended, exit: "code.7 100 1 " },
      ["running", null, false],
    ],
    [
      "then it is the job's",
      { ...ended, exit: "code.7 100 1 ", "ray.end": "FAILED JOB_ENTRYPOINT_COMMAND_ERROR x" },
      ["exited", 7, false],
    ],
    [
      "or, when somebody stopped the job, their doing",
      { ...ended, exit: "code.7 100 1 ", "ray.end": "STOPPED -" },
      ["exited", 7, true],
    ],
    [
      "a good end needs no word of Ray",
      { ...began, "code.0": "", exit: "code.0 1 1 " },
      ["exited", 0, false],
    ],
    [
      "what Ray took away is lost, whatever it made of that",
      {
        ...began,
        "code.0": "",
        exit: "ray.orphaned 1 1 ",
        "ray.end": "FAILED JOB_SUPERVISOR_ACTOR_DIED died",
      },
      ["lost", null, false],
    ],
    [
      "what ended with its keeper is lost",
      { ...began, exit: "ray.killed 1 1 ", "ray.end": "FAILED JOB_SUPERVISOR_ACTOR_DIED died" },
      ["lost", null, false],
    ],
    [
      "what could not be started is not",
      {
        job: "",
        "ray.job": "x",
        exit: "unstarted.killed 0 1 ",
        "ray.end": "FAILED RUNTIME_ENV_SETUP_FAILURE pip",
      },
      ["exited", null, false],
    ],
  ] as const)
    it(`makes an end: ${what}`, () => {
      const { state, exitCode, cancelled } = job(entries);
      assert.deepEqual([state, exitCode, cancelled], expected);
    });
});
