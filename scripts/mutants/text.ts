import { of } from "./mutant.ts";

const text = ["server/src/base/plainText.test.ts"];

/** That text is text. */
export const textGuards = [
  ...of("shared/words/unseen.ts", text, [
    ["Controls are shown as their codes.", "[\\p{Cc}\\p{Cf}", "[\\p{Cf}"],
    ["Marks that reorder text are shown as their codes.", "\\p{Cc}\\p{Cf}\\p{Cs}", "\\p{Cc}\\p{Cs}"],
    ["Halves of characters are shown as their codes.", "\\p{Cf}\\p{Cs}\\p{Zl}", "\\p{Cf}\\p{Zl}"],
    ["Separators of lines are shown as their codes.", "\\p{Cs}\\p{Zl}\\p{Zp}", "\\p{Cs}\\p{Zp}"],
    ["Separators of paragraphs are shown as their codes.", "\\p{Zl}\\p{Zp}\\p{Default", "\\p{Zl}\\p{Default"],
    [
      "Text in a line begins no line.",
      "export const inLine = (text: string): string => replaceUnseen(text, codeText);",
      "export const inLine = (text: string): string => inBlock(text);",
    ],
  ]),
  ...of("server/src/base/plainText.ts", text, [
    [
      "Further lines of an error cannot pass for ours.",
      `? block.replaceAll("\\n", "\\n  ") : block`,
      "? block : block",
    ],
    [
      "Every text of a value is text in a line.",
      `if (typeof value === "string") return inLine(value);`,
      `if (typeof value === "string") return value;`,
    ],
  ]),
  ...of(
    "server/src/predicate/toClosure.ts",
    ["server/src/predicate/bounds.test.ts"],
    [
      [
        "A condition over one rollout has a bound.",
        "const mostSteps = 1_000_000;",
        "const mostSteps = 20_000_000;",
      ],
    ],
  ),
];
