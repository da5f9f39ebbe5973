import { of } from "./mutant.ts";

const outcome = ["server/src/proposals/outcomeProblems.test.ts"];
const patches = ["server/src/proposals/patchDraft.test.ts"];
const overlaps = ["server/src/project/frozen/textOverlaps.test.ts"];
const reader = ["server/src/project/patch/patch.test.ts"];

/** What a proposal may change, and what may become of it. */
export const changeGuards = [
  ...of("server/src/proposals/outcomeProblems.ts", outcome, [
    ["A proposal changes something.", `if (changed.length === 0) return`, "if (false) return"],
    ["A proposal leaves every spec valid.", "...changed.flatMap(specProblems),", ""],
    ["A proposal leaves the evaluation's own settings alone.", "...protocolProblems(was.spec, is.spec),", ""],
    ["A proposal stays on the declared surfaces.", "...misplaced,", ""],
    ["A proposal changes one factor.", "factors.length > 1 &&", "false &&"],
    [
      "A merge brings no other factors than those of its second parent.",
      "!factors.every((factor) => merged.includes(factor))",
      "false",
    ],
    [
      "A proposal changes no commands of a launch script.",
      `change.path === "" && configs.includes(change.file)`,
      "false && configs.includes(change.file)",
    ],
    ["A proposal changes more than bookkeeping.", "isPlaced && factors.length === 0", "false"],
  ]),
  ...of("server/src/proposals/outcomeProblems.ts", patches, [
    [
      "A text that a reviewer writes is held against what no version may change.",
      "...textProblems(was.spec, changed, links),",
      "",
    ],
  ]),
  ...of(
    "server/src/project/configs/launchScript.ts",
    ["server/src/project/configs/configText.test.ts"],
    [["A value in a launch script never becomes a command.", ": shellWord(value);", ": value;"]],
  ),
  ...of(
    "server/src/project/configs/placedValue.ts",
    ["server/src/project/configs/placedValue.test.ts"],
    [
      [
        "An edit of a value changes nothing else.",
        "framework(format, edited) === framework(format, text);",
        "true;",
      ],
    ],
  ),
  ...of("server/src/proposals/draft.ts", patches, [
    ["A patch stays on its surface.", "if (misplaced.length > 0) return", "if (false) return"],
  ]),
  ...of("server/src/project/patchViolations.ts", patches, [
    [
      "A patch leaves alone what no version may change.",
      "if (reason !== undefined) return",
      "if (false) return",
    ],
    ["A patch changes no link.", "if (link === file) return", "if (false) return"],
    ["A patch changes texts of a surface only.", "if (!isText(project, path))", "if (false)"],
    ["A patch is of one factor.", "return factors.includes(factor)", "return true"],
  ]),
  ...of("server/src/project/frozen/untouchable.ts", overlaps, [
    ["No text surface has git's files.", "if (own !== undefined) return own;", ""],
    ["No text surface has the evaluation.", "if (because !== undefined) return because;", ""],
    [
      "No text surface has the train split.",
      `if (trained(file) !== undefined) return "it is the train split";`,
      "",
    ],
    ["No text surface has a submodule.", "submodule === undefined ? undefined", "true ? undefined"],
  ]),
  ...of("server/src/project/patch/patchNames.ts", reader, [
    ["A patch names files inside the project.", "if (!ProjectPath.safeParse(path).success ||", "if ("],
    ["A patch changes no mode.", `if (what === "old" || what === "new")`, "if (false)"],
    ["A patch adds no link.", `if (mode === "120000")`, "if (false)"],
    [
      "A patch says twice the same of its file.",
      "if (header !== undefined && header !==",
      "if (false && header !==",
    ],
  ]),
  ...of("server/src/project/patch/readPatch.ts", reader, [
    ["A patch has no zero byte.", `if (text.includes("\\0"))`, "if (false)"],
  ]),
  ...of(
    "server/src/proposals/trial.ts",
    ["server/src/proposals/trial.test.ts"],
    [
      ["Code that does not work is not approved.", "if (smoke.ok) return;", "return;"],
      ["Code is not approved untried where no job can run.", "if (trials === undefined)", "if (false)"],
    ],
  ),
];
