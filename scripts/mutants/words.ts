import { of } from "./mutant.ts";

/** What people, specs and imported files name: paths, names, hosts, texts in conditions. */
export const wordGuards = [
  ...of(
    "shared/spec/common.ts",
    ["shared/spec/common.test.ts"],
    [
      ["A path of a spec is not absolute.", `!p.startsWith("/") &&`, ""],
      ["A path of a spec is not taken for an option.", `!p.startsWith("-") &&`, ""],
      ["A path of a spec is not cut by a NUL character.", `!p.includes("\\0") &&`, ""],
      ["A path of a spec has no backslash.", `!p.includes("\\\\") &&`, ""],
      ["A path of a spec does not leave the project.", `!p.split("/").includes("..")`, "true"],
      ["A name holds only what refs, paths and queries take.", "[a-z0-9_-]{0,63}$/", "[^]{0,63}$/"],
      ["The path of a value is made of names.", "[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*$/", "[^]+$/"],
    ],
  ),
  ...of(
    "shared/spec/hostAddress.ts",
    ["shared/spec/common.test.ts"],
    [
      ["A host is not taken for an option of ssh.", "^[A-Za-z0-9_][", "^[-A-Za-z0-9_]["],
      ["A host is one word.", "[A-Za-z0-9._:-]{0,252}", "[^]{0,252}"],
    ],
  ),
  ...of(
    "server/src/predicate/check.ts",
    ["server/src/predicate/compile.test.ts"],
    [
      ["A text in a condition has no NUL character.", `value.includes("\\0")`, "false"],
      ["A whole number in a condition has at most 64 bits.", "BigInt.asIntN(64, value) === value", "true"],
    ],
  ),
  ...of(
    "server/src/runner/keeper/payload.ts",
    ["server/src/runner/keeper/payload.test.ts"],
    [
      [
        "No word, folder or variable of a job has a NUL character.",
        `text?.includes("\\0") === true`,
        "false",
      ],
      ["A job runs in an absolute folder.", `!cwd.startsWith("/") ||`, ""],
      ["The folder of a job adds no line to its header.", "/[\\r\\n]/.test(cwd)", "false"],
      ["A variable of a job has a name.", "!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ||", ""],
      ["A job sets no variable that the shell keeps for itself.", "|| shellNames.has(name)", ""],
    ],
  ),
  ...of(
    "server/src/base/shellWord.ts",
    ["server/src/runner/keeper/payload.test.ts"],
    [["A quote in a word of a job does not end the word.", `text.replaceAll("'", \`'\\\\''\`)`, "text"]],
  ),
  ...of(
    "server/src/runner/confine/ownPolicy.ts",
    ["server/src/runner/confine/confinedJob.test.ts"],
    [["No job starts from a policy that leads elsewhere.", "!isWithin(real, own)", "false"]],
  ),
  ...of(
    "server/src/runner/confine/jobView.ts",
    ["server/src/runner/confine/confinedJob.test.ts"],
    [
      ["A confined job cannot change the evaluation.", "...fixed.map(show),", ""],
      ["A confined job does not see what is hidden from it.", "...steps,", ""],
      ["A confined job cannot say where its checkout belongs.", 'hide(posix.join(checkout, ".git")),', ""],
    ],
  ),
  ...of(
    "server/src/runner/ssh/prompts/promptText.ts",
    ["server/src/runner/ssh/prompts/promptDesk.test.ts"],
    [
      ["An answer for ssh is one line.", "/[\\0\\n\\r]/.test(answer) ||", ""],
      ["An answer for ssh is short.", "|| Buffer.byteLength(answer) > 1000", ""],
      [
        "An answer about a host's key is one that ssh takes.",
        `if (kind === "hostKey") return /`,
        `if (kind === "hostKey") return answer !== "" || /`,
      ],
      ["What a server has ssh ask moves nothing on the screen.", "inBlock(text.trim())", "text.trim()"],
    ],
  ),
  ...of(
    "server/src/reading/zip.ts",
    ["server/src/reading/zip.test.ts"],
    [
      [
        "A file in a zip has a name without a NUL character.",
        `name.includes("\\0") || raw.includes(0)`,
        "false",
      ],
      ["A file in a zip has no backslash in its name.", `if (name.includes("\\\\"))`, "if (false)"],
      ["A file in a zip has no absolute name.", `name.startsWith("/") || /^[a-z]:/i.test(name)`, "false"],
      ["A file in a zip stays inside it.", `name.split("/").includes("..") ?`, "false ?"],
      [
        "A zip that holds far more than it weighs is not unpacked.",
        "bytes > anyRatioBelow && bytes > packed * maxRatio",
        "false",
      ],
    ],
  ),
];
