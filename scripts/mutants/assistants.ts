import { of } from "./mutant.ts";

const answers = ["server/src/assistant/answer.test.ts"];
const limits = ["server/src/assistant/limits.test.ts"];

/** What an assistant over MCP or in the editor is told, and what it cannot do. */
export const assistantGuards = [
  ...of("server/src/assistant/answer.ts", answers, [
    ["The rows of an answer have a bound.", "if (size > mostCharacters && given.length > 0) break;", ""],
    ["The facts of an answer have a bound.", "if (size <= most) break;", "if (size > 0) break;"],
    ["A text in an answer has a bound.", "return text.length <= longestText", "return text.length >= 0"],
    ["A list in an answer has a bound.", "value.slice(0, longestList)", "value.slice(0)"],
    [
      "A policy cannot know the marks that its words are quoted by.",
      `randomBytes(6).toString("hex")`,
      `"0".repeat(12)`,
    ],
    ["What a policy wrote is quoted as data.", "if (!tool.quotes) return text;", "return text;"],
  ]),
  ...of("server/src/assistant/tool.ts", limits, [
    [
      "No tool takes the audit split.",
      `.enum(["train", "selection"])`,
      `.enum(["train", "selection", "audit"])`,
    ],
  ]),
  ...of("server/src/assistant/rolloutTools.ts", limits, [
    [
      "No rollout of the audit split is shown to an assistant.",
      `if (rollout.split === "audit")`,
      "if (false)",
    ],
  ]),
  ...of("server/src/assistant/versionTools.ts", limits, [
    [
      "An assistant has no analyzer run and no judge asked.",
      "...input, version, trusted: false }",
      "...input, version, trusted: true }",
    ],
  ]),
  ...of("server/src/assistant/proposeTool.ts", limits, [
    ["An assistant has no proposer run.", "trusted: false,", "trusted: true,"],
  ]),
  ...of("server/src/assistant/specTools.ts", limits, [
    [
      "An assistant reads no file outside of the project.",
      `isAbsolute(inside) || inside.startsWith("..") || `,
      "",
    ],
    [
      "An assistant reads no file behind a link.",
      "await realpath(resolve(root, path))",
      "resolve(await realpath(root), path)",
    ],
    ["An assistant reads no file that is no YAML.", "|| !/\\.ya?ml$/.test(real)", ""],
  ]),
  ...of("server/src/assistant/evidenceTools.ts", limits, [
    [
      "A proposer calls no tool that it was not given.",
      "if (!readers.some((tool) => tool.name === name))",
      "if (false)",
    ],
  ]),
];
