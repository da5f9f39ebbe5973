import { of } from "./mutant.ts";

const args = ["server/src/runner/ssh/sshArguments.test.ts"];
const spec = ["shared/spec/host.test.ts"];
const desk = ["server/src/runner/ssh/prompts/promptDesk.test.ts"];
const socket = ["server/src/runner/ssh/prompts/tokenSocket.test.ts"];
const cleaner = ["server/src/runner/ssh/hostCleaner.test.ts"];
const fetched = ["server/src/runner/ssh/fetchFiles.test.ts"];
const contents = ["server/src/runner/ssh/contents.test.ts"];
const executor = ["server/src/runner/ssh/sshExecutor.test.ts"];

/** What a host may send, what is asked of ssh, and what is removed on a host. */
export const hostGuards = [
  ...of("server/src/runner/ssh/sshArguments.ts", args, [
    [
      "A host stands behind the dashes that end the options of ssh.",
      `    "--",\n    spec.ssh ?? name,`,
      "    spec.ssh ?? name,",
    ],
    ["ssh does not ask where nobody answers.", `...(use.answers === true ? {} : { BatchMode: "yes" }),`, ""],
    ["ssh runs no command of the user's configuration here.", `    PermitLocalCommand: "no",\n`, ""],
    ["A connection forwards nothing else.", `    ClearAllForwardings: "yes",\n`, ""],
  ]),
  ...of("server/src/runner/ssh/prompts/ownFolder.ts", args, [
    ["No socket of ssh lies in a folder that others can enter.", "&& (found.mode & 0o077) === 0", ""],
    ["No socket of ssh lies behind a link.", "lstatSync(folder)", "lstatSync(`${folder}/.`)"],
  ]),
  ...of(
    "server/src/runner/ssh/sshConfig.ts",
    ["server/src/runner/ssh/sshConfig.test.ts"],
    [
      [
        "What a configuration of ssh calls a host and is an option is none.",
        "names.size < mostHosts && HostSpec.shape.ssh.safeParse(word).success",
        "names.size < mostHosts",
      ],
    ],
  ),
  ...of("shared/spec/host.ts", spec, [
    [
      "A user of a host is not taken for an option of ssh.",
      "/^[A-Za-z0-9_][A-Za-z0-9._@-]{0,63}$/",
      "/^[A-Za-z0-9._@-]{1,64}$/",
    ],
    [
      "A folder of a host is one line.",
      `.regex(printable, "Leave out line breaks and control characters.")\n    .default("~`,
      `.default("~`,
    ],
    [
      "A value for Slurm is no option of its own.",
      "/^[^-\\s\\p{Cc}][^\\p{Cc}]{0,199}$/u",
      "/^[^\\p{Cc}]{1,200}$/u",
    ],
    ["A value for Slurm is one line.", "/^[^-\\s\\p{Cc}][^\\p{Cc}]{0,199}$/u", "/^[^-\\s][^]{0,199}$/u"],
    ["An option for Slurm is one, and one line.", "/^--[a-z][a-z-]*(=[^\\p{Cc}]*)?$/u", "/^-[^]*$/u"],
    ["Files that are brought from a host lie in the folder of their run.", "(?!.*\\/\\.{0,2}(\\/|$))", ""],
    ["A file that is brought from a host is no path from its root.", "^(?!\\.{0,2}(\\/|$))", "^"],
    ["A program of a host is not taken for an option.", "/^[^-\\p{Cc}][^\\p{Cc}]*$/u", "/^[^\\p{Cc}]*$/u"],
  ]),
  ...of("server/src/runner/ssh/prompts/tokenSocket.ts", socket, [
    ["A caller without end fills no memory.", "else if (text.length > messageLimit)", "else if (false)"],
    ["A token that was revoked opens nothing.", "this.#handlers.delete(token);", ""],
  ]),
  ...of("server/src/runner/ssh/prompts/tokenSocket.ts", desk, [
    ["The socket for what ssh asks is for its user alone.", "chmodSync(this.address, 0o600);", ""],
  ]),
  ...of("server/src/runner/ssh/prompts/promptDesk.ts", desk, [
    [
      "The token of a question can be read by its user alone.",
      "token: admitted.token }), { mode: 0o600 });",
      "token: admitted.token }));",
    ],
    [
      "A server that asks without end is left.",
      `if (state.asked > (this.#options.limit ?? 12)) return end("tooMany");`,
      "",
    ],
  ]),
  ...of("server/src/runner/ssh/fetchFiles.ts", fetched, [
    [
      "What a host names stays in the folder for it.",
      "kind === undefined || !isPlainPath(path)",
      "kind === undefined",
    ],
    ["A host sends no more than its limit.", "if (total > request.limitBytes)", "if (false)"],
  ]),
  ...of("server/src/runner/ssh/fetchFiles.ts", contents, [
    [
      "Nothing is copied from a host through a link that leads out of the run's folder.",
      "if (stray !== undefined)",
      "if (stray === line)",
    ],
  ]),
  ...of("server/src/runner/ssh/localCopy.ts", contents, [
    ["What a host sends is not written through a link.", "constants.O_CREAT | noFollow", "constants.O_CREAT"],
  ]),
  ...of("server/src/runner/ssh/hostCleaner.ts", cleaner, [
    [
      "Nothing is removed in a folder that has taken the place of ours.",
      `&& [ "$(pwd -P)" = \${shellWord(folder)} ] || exit`,
      "|| exit",
    ],
    [
      "Nothing behind a link is removed on a host.",
      `[ -d "$n" ] && [ ! -L "$n" ] && \${isSafe} || exit`,
      `[ -d "$n" ] && \${isSafe} || exit`,
    ],
    ["The run of a job that is not over is not removed.", `run: '[ -f "$n/exit" ]',`, `run: ":",`],
    ["A policy that a job starts from is not removed.", `policy: "! used",`, `policy: ":",`],
    [
      "Only what has a name of ours is looked at on a host.",
      `if (!(kind === "policy" ? policyKey.test(name) : JobId.safeParse(name).success)) continue;`,
      "",
    ],
  ]),
  ...of("server/src/runner/ssh/hostWork.ts", cleaner, [
    ["A project takes up no more of a host than its quota.", "if (used > spec.quota * 1e9)", "if (false)"],
  ]),
  ...of("server/src/runner/ssh/hostWork.ts", executor, [
    ["A job on a host that makes what was withheld from it is found out.", `\${made.join("")}git`, "git"],
    [
      "A job on a host that puts the evaluation back is found out.",
      "! -type d -cnewer ${mark}",
      "-type d -cnewer ${mark}",
    ],
    [
      "A host's own attributes change no file of a checkout.",
      "printf '%s' ${shellWord(noAttributes)} >${info}/attributes",
      ":",
    ],
  ]),
  ...of("server/src/runner/ssh/confinementThere.ts", executor, [
    [
      "A confined job on a host sees no other run.",
      `steps: [{ what: "others", path: posix.dirname(posix.dirname(runs)) }]`,
      "steps: []",
    ],
  ]),
];
