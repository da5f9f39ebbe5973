import { of } from "./mutant.ts";

const submission = ["server/src/runner/ray/raySubmission.test.ts"];
const client = ["server/src/runner/ray/rayClient.test.ts"];

/** What is handed to Ray and to the keeper, and what is believed of their answers. */
export const queueGuards = [
  ...of("server/src/runner/ray/raySubmission.ts", submission, [
    [
      "A variable of a job of Ray has a name.",
      "if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw",
      "if (false) throw",
    ],
    ["A word of what Ray runs is one word.", "...names].map(shellWord)]", "...names]]"],
    [
      "A job of Ray has an id that needs no escaping.",
      "JobId.parse(basename(directory))",
      "basename(directory)",
    ],
  ]),
  ...of("shared/spec/host.ts", submission, [
    [
      "The address of Ray's dashboard is not taken for an option of ssh.",
      "/^(?:[A-Za-z0-9][A-Za-z0-9.-]{0,252}|",
      "/^(?:[^]{1,253}|",
    ],
    [
      "A project sets no field of a request to Ray but resources.",
      "/^entrypoint_[a-z_]{1,60}$/",
      "/^[a-z_]{1,60}$/",
    ],
    [
      "No token of another program is sent to Ray.",
      "/^(?:RAY|EVOTRAINER)_[A-Z0-9_]{1,60}$/",
      "/^[A-Z0-9_]{1,60}$/",
    ],
  ]),
  ...of("server/src/runner/ray/rayClient.ts", client, [
    ["A token for Ray is one word.", "/^[\\x21-\\x7e]{1,8192}$/.test(token)", 'token !== ""'],
    ["What Ray calls its release moves nothing on the screen.", "/^[0-9A-Za-z.+-]{1,60}$/", "/^[^]{1,60}$/"],
    [
      "An answer of Ray that was cut is not believed.",
      "if (isGood(answer) && !answer.isCut)\n      try",
      "if (isGood(answer))\n      try",
    ],
    ["Ray's dashboard is not waited for without end.", `sent.destroy(new Error("timed out"));`, ""],
  ]),
  ...of(
    "server/src/runner/job/jobSpec.ts",
    ["server/src/runner/job/jobSpec.test.ts"],
    [
      [
        "A job is given no secret of the environment that it was not given by name.",
        `const value = from[name];\n    if (value !== undefined && value !== "") base[name] = value;\n  }`,
        `const value = from[name];\n    if (value !== undefined && value !== "") base[name] = value;\n  }\n  for (const [name, value] of Object.entries(from)) base[name] ??= value ?? "";`,
      ],
    ],
  ),
  ...of(
    "server/src/runner/job/confinement.ts",
    ["server/src/runner/confine/confinedJob.test.ts"],
    [["A confined job sees no login of a coding agent.", "...agentLogins.map(hide), ", ""]],
  ),
  ...of(
    "server/src/proposals/standing/approvedOnRun.ts",
    ["server/src/proposals/standing/approvedOnRun.test.ts"],
    [
      [
        "An approval on an imported run lets no other change pass.",
        " && termsText(a) === termsText(b);",
        ";",
      ],
      [
        "An approval on an imported run lets the change pass at no other gate.",
        "answersAt(other, gate).at(-1)",
        'answersAt(other, "design").at(-1)',
      ],
      [
        "What was altered at its gate was not approved as it was proposed.",
        "!isOnRun(other, runs) || isAltered(other) ||",
        "!isOnRun(other, runs) ||",
      ],
    ],
  ),
  ...of(
    "server/src/engine/evolution/gatesSeen.ts",
    ["server/src/engine/evolution/gatesSeen.test.ts"],
    [["evolve says which commit made the gates looser.", "looser.length === 0", "looser.length >= 0"]],
  ),
  ...of(
    "server/src/runner/confine/jobView.ts",
    ["server/src/runner/confine/jobView.test.ts"],
    [
      ["A confined job sees no key of its user.", "...ofTheUser.map(hide),", ""],
      [
        "A program that a trainer names shows a job nothing of the evaluation.",
        "(path) => !secret.some((one) => isWithin(one, path) || isWithin(path, one)),",
        '(path) => path !== "",',
      ],
    ],
  ),
  ...of(
    "server/src/runner/job/trainerData.ts",
    ["server/src/runner/job/trainerData.test.ts"],
    [
      ["Data that a trainer reads is no part of the evaluation.", "if (hashed !== undefined)", "if (false)"],
      ["Data is laid over nothing that is committed.", "if (await isThere(lstat(link)))", "if (false)"],
    ],
  ),
];
