import assert from "node:assert/strict";
import type { FailureClass } from "../../../../shared/model/failureClass.ts";
import type { Split } from "../../../../shared/model/rollout.ts";
import type { EvidenceSummary } from "./evidenceSummary.ts";
import type { JobStatus } from "./executor.ts";
import { classifyJob, lastWords, type FinishedJob } from "./failure.ts";

const status = (more: Partial<JobStatus>): JobStatus => ({
  id: "j",
  state: "exited",
  exitCode: 0,
  signal: null,
  timedOut: false,
  cancelled: false,
  oversize: false,
  reason: null,
  heartbeatAgeSeconds: 1,
  seconds: 12.34,
  ...more,
});
const evidence = (
  lines: readonly [Split, string][],
  more: Partial<EvidenceSummary> = {},
): EvidenceSummary => {
  const items = { train: new Set<string>(), selection: new Set<string>(), audit: new Set<string>() };
  const rollouts = { train: 0, selection: 0, audit: 0 };
  const samples = {
    train: new Map<string, number>(),
    selection: new Map<string, number>(),
    audit: new Map<string, number>(),
  };
  for (const [split, item] of lines) {
    items[split].add(item);
    rollouts[split]++;
    samples[split].set(item, (samples[split].get(item) ?? 0) + 1);
  }
  const rest = { lastSplit: lines.at(-1)?.[0], badLines: 0, metricsBytes: 0, bytes: 100 };
  return { items, rollouts, samples, ...rest, ...more };
};
const whole = evidence([
  ["train", "t"],
  ["selection", "a"],
  ["selection", "b"],
]);
const trainOnly = evidence([["train", "t"]]);
const none = evidence([]);

describe("classifyJob", () => {
  const cases: [string, Partial<FinishedJob>, FailureClass | null, RegExp][] = [
    [
      "a program that a confined job does not see",
      { status: status({ exitCode: 127 }), evidence: none, unseen: "/tmp/v/bin/python3" },
      "preflight_crash",
      /stderr\.log\. \/tmp\/v\/bin\/python3 is on this machine, but a confined job does not see it: /,
    ],
    ...(
      [
        [
          "dacite",
          /stderr\.log\. dacite is not installed for the Python that trainer\.command starts: install/,
        ],
        ["roll.pipeline", /\. ROLL is not installed for the Python/],
        ["verl", /\. verl is not installed for the Python/],
        ["trl", /\. TRL is not installed for the Python/],
      ] as const
    ).map(([module, says]): [string, Partial<FinishedJob>, FailureClass, RegExp] => [
      `a Python without ${module}`,
      {
        status: status({ exitCode: 1 }),
        evidence: none,
        lastLine: `ModuleNotFoundError: No module named '${module}'`,
      },
      "preflight_crash",
      says,
    ]),
    ["no failure", {}, null, /finished in 12 s with 3 rollouts/],
    [
      "an exit code",
      { status: status({ exitCode: 3 }) },
      "crash",
      /exited with 3 after 3 rollouts \(last line: Boom\)/,
    ],
    ["a signal", { status: status({ exitCode: null, signal: "SIGSEGV" }) }, "crash", /ended by SIGSEGV/],
    [
      "an early exit code",
      { status: status({ exitCode: 1 }), evidence: none },
      "preflight_crash",
      /before its first evidence/,
    ],
    [
      "an exit after metrics",
      { status: status({ exitCode: 1 }), evidence: evidence([], { metricsBytes: 9 }) },
      "crash",
      /0 rollouts/,
    ],
    [
      "a program that never started",
      { status: status({ exitCode: null, reason: "no folder" }), evidence: none },
      "preflight_crash",
      /did not run: no folder/,
    ],
    [
      "a hang while training",
      { status: status({ timedOut: true, exitCode: null, signal: "SIGKILL" }), evidence: trainOnly },
      "train_budget_overrun",
      /still training when its 60 s/,
    ],
    [
      "a hang before the first step",
      { status: status({ timedOut: true }), evidence: none },
      "train_budget_overrun",
      /training/,
    ],
    [
      "a hang while evaluating",
      { status: status({ timedOut: true }) },
      "eval_budget_overrun",
      /still evaluating/,
    ],
    [
      "a hang in training after an intermediate evaluation",
      {
        status: status({ timedOut: true }),
        evidence: evidence([
          ["selection", "a"],
          ["train", "t"],
        ]),
      },
      "train_budget_overrun",
      /training/,
    ],
    [
      "too much evidence",
      { status: status({ oversize: true, exitCode: null, signal: "SIGTERM" }) },
      "size_blocked",
      /beyond 1 MiB/,
    ],
    [
      "too much evidence noticed at the end",
      { evidence: { ...whole, bytes: 2 ** 21 } },
      "size_blocked",
      /beyond 1 MiB/,
    ],
    [
      "a changed evaluation",
      { altered: { file: "eval.py", isRestored: false } },
      "disqualified",
      /changed the evaluation file eval\.py/,
    ],
    [
      "an evaluation that was changed and put back",
      { altered: { file: "eval.py", isRestored: true } },
      "disqualified",
      /changed the evaluation file eval\.py and put it back before it ended, so its scores do not count/,
    ],
    [
      "a crash that changed the evaluation",
      { altered: { file: "eval.py", isRestored: false }, status: status({ exitCode: 1 }) },
      "disqualified",
      /eval\.py/,
    ],
    [
      "a cancelled job",
      { status: status({ cancelled: true, signal: "SIGTERM", exitCode: null }) },
      "harness_abort",
      /cancelled after 12 s/,
    ],
    [
      "a cancelled job that exited with 0",
      { status: status({ cancelled: true }), altered: { file: "eval.py", isRestored: false } },
      "harness_abort",
      /cancelled/,
    ],
    [
      "a lost job",
      { status: status({ state: "lost", exitCode: null, reason: "the machine was restarted" }) },
      "harness_abort",
      /because the machine was restarted/,
    ],
    [
      "a job that wrote nothing",
      { evidence: none },
      "incomplete",
      /no rollouts of the train split .*check that it writes to EVO_RUN_DIR/,
    ],
    [
      "a job without an evaluation",
      { evidence: trainOnly },
      "incomplete",
      /no rollouts of the selection split/,
    ],
    [
      "an incomplete evaluation",
      {
        evidence: evidence(
          [
            ["train", "t"],
            ["selection", "b"],
          ],
          { badLines: 2 },
        ),
      },
      "incomplete",
      /1 of 2 items of the selection split .* first a \(2 lines were torn/,
    ],
    [
      "a sample that was left out, as one that failed may be",
      {
        samples: 2,
        evidence: evidence([
          ["train", "t"],
          ["selection", "a"],
          ["selection", "b"],
          ["selection", "a"],
        ]),
      },
      "incomplete",
      /1 of 2 items of the selection split have fewer rollouts than the 2 of evaluation\.samples, first b;/,
    ],
  ];
  for (const [name, more, failure, message] of cases)
    it(`names ${name}`, () => {
      const end: FinishedJob = {
        status: status({}),
        evidence: whole,
        expected: [
          { split: "train", items: ["t", "u"] },
          { split: "selection", items: ["a", "b"] },
        ],
        samples: null,
        altered: undefined,
        budgetSeconds: 60,
        evidenceLimitBytes: 2 ** 20,
        lastLine: "Boom",
        directory: "/runs/j",
        ...more,
      };
      const verdict = classifyJob(end);
      assert.equal(verdict.failure, failure);
      assert.match(verdict.message, message);
      assert.match(verdict.message, /^[A-Z].*\.$|stderr\.log\.$/);
    });
});

describe("lastWords", () => {
  const cases: [string, string][] = [
    ["", ""],
    ["\n\n", ""],
    ["Traceback\n  File x\nValueError: no\n\n", "ValueError: no"],
    ["10%\r50%\r\u001b[31mred\u001b[0m\r\n", "red"],
    [
      "/a/b.mjs:3\n  throw\nError: no such module\n    at x (y:1)\n\nNode.js v20.20.2\n",
      "Error: no such module",
    ],
    ["torch.cuda.OutOfMemoryError: 2 GiB\nhint: smaller batches\n", "torch.cuda.OutOfMemoryError: 2 GiB"],
    ["error rate 3 %\nstep 4\n", "step 4"],
    ["a\u0007b\u0000c", "a b c"],
    ["x".repeat(400), `${"x".repeat(299)}…`],
  ];
  for (const [tail, words] of cases)
    it(`finds ${JSON.stringify(words.slice(0, 20))}`, () => assert.equal(lastWords(tail), words));
});
