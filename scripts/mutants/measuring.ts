import { of } from "./mutant.ts";

const again = ["server/src/loop/steps/measureAgain.test.ts"];
const measuring = ["server/src/loop/steps/measuring.test.ts"];
const seeds = ["server/src/engine/training/trainedSeeds.test.ts"];
const testing = ["server/src/decision/testing/testing.test.ts"];
const engine = ["test/lsp/engine.test.ts"];

/** What a version must show before it is kept, and who may say what to proposers. */
export const measuringGuards = [
  ...of("server/src/loop/steps/decide.ts", again, [
    [
      "What is about to be kept is measured by a fresh job.",
      `verdict.decision === "keep" ? await measuredAnew(candidate, measureAgain) : null`,
      "null",
    ],
  ]),
  ...of("server/src/loop/steps/replicate.ts", again, [
    [
      "What the fresh job finds is what counts.",
      "const measured = result === null ? candidate : { ...candidate, job: jobOf(result) };",
      "const measured = candidate;",
    ],
    [
      "A version is measured again with every seed that it has.",
      "const result = await ports.remeasure(version, commit, seeds)",
      "const result = await ports.remeasure(version, commit, [])",
    ],
    [
      "What its training job measured of the one seed that it has does not keep a version.",
      ` || (last?.verdict === "screened" && seeds.length === 1)`,
      "",
    ],
  ]),
  ...of("server/src/loop/steps/replicate.ts", measuring, [
    [
      "What is screened in is measured by a fresh job before it is looked at again.",
      "commit === null ? null : await ports.remeasure(version, commit, seeds)",
      "null",
    ],
    [
      "A version that a fresh job cannot measure is not looked at further.",
      "if (measured !== undefined && measured.failure !== null) return { ...c, job: jobOf(measured) };",
      "",
    ],
  ]),
  ...of("server/src/loop/steps/measuring.ts", measuring, [
    ["A further seed is measured by a fresh job.", ` || seed !== first`, ""],
    [
      "What is kept already is measured by a fresh job on its first seed too.",
      `isKept ? { type: "train", measured: "twice" } : { type: "train" }`,
      `{ type: "train" }`,
    ],
  ]),
  ...of(
    "server/src/engine/training/remeasure.ts",
    ["test/engine/testing.test.ts"],
    [
      [
        "A fresh job measures the policy of its own seed.",
        "{ ...engine, seedsOf: () => Promise.resolve(seeds) }",
        "engine",
      ],
    ],
    { built: true },
  ),
  ...of("server/src/engine/training/trainedSeeds.ts", seeds, [
    ["A training that failed is no seed of a version.", `state !== "finished" || `, ""],
    [
      "A second evaluation is no seed of a version.",
      `if (state !== "finished" || !isTraining(id, name)) continue;`,
      `if (state !== "finished") continue;`,
    ],
  ]),
  ...of("server/src/decision/testing/replicate.ts", testing, [
    [
      "One seed keeps nothing where seeds are replicated.",
      "level > 0 && ofCandidate >= 2 &&",
      "level > 0 &&",
    ],
    [
      "Items that were selected by their results decide nothing.",
      `if (comparison.verdict === "withheld")`,
      "if (false)",
    ],
    [
      "Nobody looks more often than was planned.",
      "if (looksDone + 1 >= looksAtMost || next.length === 0)",
      "if (next.length === 0)",
    ],
  ]),
  ...of(
    "server/src/lineage/records/gatherRecord.ts",
    ["server/src/lineage/trust/trust.test.ts"],
    [
      [
        "A hint that nobody trusted signed is given to no proposer.",
        `entry.type === "note" ? entry.what === "hint" : entry.type !== "version"`,
        `entry.type !== "note" && entry.type !== "version"`,
      ],
    ],
  ),
  ...of("server/src/language/protocol/engineRequests.ts", engine, [
    [
      "A view asks the engine nothing in a workspace that is not trusted.",
      `if (!session.trusted) return { type: "untrusted" };`,
      "",
    ],
    [
      "A view asks about the projects of the workspace only.",
      "if (root !== undefined && projects.includes(root)) return root;",
      "if (root !== undefined) return root;",
    ],
    [
      "A view asks about the archives of the workspace only.",
      "folders.filter((one) => one === asked)",
      "[asked]",
    ],
  ]),
  ...of(
    "server/src/evidence/contract/parse.ts",
    ["server/src/runner/job/longLine.test.ts"],
    [["A line without end is no evidence.", "if (line.tooLong) return bad", "if (false) return bad"]],
  ),
  ...of(
    "server/src/base/plainFile.ts",
    ["server/src/engine/jobs/leftByJobs.test.ts"],
    [
      [
        "A pipe in the place of a file keeps nobody waiting.",
        "[constants.O_NONBLOCK, constants.O_NOFOLLOW]",
        "[0, constants.O_NOFOLLOW]",
      ],
      [
        "A log is not read through a link that a job laid.",
        "[constants.O_NONBLOCK, constants.O_NOFOLLOW]",
        "[constants.O_NONBLOCK, 0]",
      ],
      [
        "A device in the place of a file is not read.",
        "if ((await file.stat()).isFile()) return file;",
        "if ((await file.stat()).size >= 0) return file;",
      ],
    ],
  ),
  ...of(
    "server/src/base/files.ts",
    ["server/src/base/files.test.ts"],
    [
      [
        "A file of the engine is never readable by others, not even while it is written.",
        `open(temporary, "wx", mode)`,
        `open(temporary, "wx")`,
      ],
      [
        "A folder that others could look into becomes its user's alone.",
        "await makePrivate(path, 0o700);",
        "",
      ],
    ],
  ),
];
