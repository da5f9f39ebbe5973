import { of } from "./mutant.ts";

const kept = ["test/engine/skillFiles.test.ts"];
const fits = ["server/src/memory/skills/fit.test.ts"];
const records = ["server/src/memory/skills/record.test.ts"];

/** What a skill from elsewhere may bring, and what a skill may claim. */
export const skillGuards = [
  ...of("server/src/engine/skillRecords/skillFiles.ts", kept, [
    ["A skill is read from a plain file only.", "if (!found.isFile())", "if (false)"],
    ["A skill file has a largest size.", "if (found.size > mostBytes)", "if (false)"],
  ]),
  ...of("server/src/engine/skills/keepSkill.ts", kept, [
    [
      "A skill is written through no link that leads out of the project.",
      "else if (!found.isDirectory())",
      "else if (false)",
    ],
    [
      "A file of another skill is not overwritten.",
      "if (mine.name !== other.name || !isSameTemplate(mine, other))",
      "if (false)",
    ],
  ]),
  ...of("server/src/memory/skills/fit.ts", fits, [
    [
      "A skill changes only what a surface of its factor declares.",
      "!factorsAt(declared, place).includes(factor)",
      "false",
    ],
    ["A skill changes no frozen value.", "|| isFrozen(declared, place, by)", ""],
  ]),
  ...of("server/src/memory/skills/fromVersion.ts", records, [
    ["One seed proves no skill.", `if (stageOf(version) !== "replicated")`, "if (false)"],
  ]),
  ...of("server/src/memory/skills/record.ts", records, [
    [
      "What an invalid version gained counts for nothing.",
      `if (decision.decision === "invalid")`,
      "if (false)",
    ],
  ]),
];
