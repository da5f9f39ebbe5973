import { of } from "./mutant.ts";

const terms = ["server/src/evidence/ingest/runTerms.test.ts"];
const closing = ["server/src/runner/job/closeRun.test.ts"];

/** What counts of the files of a run. */
export const evidenceGuards = [
  ...of(
    "server/src/evidence/ingest/closedFile.ts",
    terms,
    [["A closed file that was cut is not read.", `if (size < closed.bytes) return "changed";`, ""]],
    {
      explained:
        "A file that was cut has another digest too, which the guard behind this one finds; this one spares reading it.",
    },
  ),
  ...of("server/src/evidence/ingest/admission.ts", terms, [
    [
      "Rollouts of a split that the job was not asked for do not count.",
      "if (items === undefined)\n",
      "if (false)\n",
    ],
    [
      "Rollouts of an item that is not in the split do not count.",
      "if (items?.has(item) === false)",
      "if (false)",
    ],
    ["Rollouts of another seed do not count.", "if (seed !== null && seed !== own)", "if (false)"],
    [
      "Rollouts of another version do not count.",
      "harness !== null && harness !== commit && isCommit.test(harness)",
      "false",
    ],
    [
      "More rollouts of an item than the protocol has do not count.",
      "if (count === this.#asked.samples)",
      "if (false)",
    ],
  ]),
  ...of("server/src/evidence/ingest/closedFile.ts", terms, [
    [
      "A file that came after the run was closed does not count.",
      `return size === 0 ? "same" : "grown";`,
      `return "same";`,
    ],
    [
      "A closed file with another content does not count.",
      `if (sha256 !== closed.sha256) return "changed";`,
      "",
    ],
  ]),
  ...of("server/src/evidence/ingest/ingest.ts", terms, [
    [
      "A changed file of a closed run is left out.",
      `if (before?.what === "changed") return`,
      "if (false) return",
    ],
  ]),
  ...of(
    "server/src/evidence/store/elsewhere.ts",
    ["server/src/evidence/store/elsewhere.test.ts"],
    [
      [
        "A file from elsewhere is no evidence of a version of the project.",
        "if (isOfRun(key) || !(await store.isOwnVersion(key.version)))",
        "if (true)",
      ],
      [
        "A version of whose name there is imported evidence is not trained.",
        "const [first] = other;",
        "const [first] = other.slice(other.length);",
      ],
    ],
  ),
  ...of("server/src/runner/job/closeRun.ts", closing, [
    [
      "A run that is closed stays as it was closed.",
      "if (known !== undefined) return summariseEvidence(directory, { end: endsOf(known) });",
      "",
    ],
    [
      "The closing of another run closes nothing.",
      `return entry?.type === "closing" && entry.run === run ? entry : undefined;\n}\n\n/** The same`,
      `return entry?.type === "closing" ? entry : undefined;\n}\n\n/** The same`,
    ],
  ]),
  ...of(
    "server/src/runner/job/policyRecord.ts",
    ["server/src/runner/job/policyRecord.test.ts"],
    [
      [
        "A policy that was changed after its job starts no other.",
        "noted.digest === (await digestOf(runDirectory, policy))",
        "noted.digest !== unread",
      ],
      ["A policy of holes is not read.", "return holes < holeBytes;", "return true;"],
      [
        "A policy that held links when its job ended starts no other.",
        "if (noted.digest === unread)",
        "if (false)",
      ],
    ],
  ),
  ...of(
    "server/src/runner/job/jobRecords.ts",
    ["server/src/runner/runVersion.test.ts"],
    [
      [
        "A run's own folder is asked for no record of the engine.",
        "return existsSync(recordsFolder(runDirectory))",
        "return false",
      ],
    ],
  ),
];
