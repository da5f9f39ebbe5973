import { of } from "./mutant.ts";

const records = ["server/src/memory/skills/record.test.ts"];
const evolution = ["test/engine/held.test.ts"];

/** What a version may do whose gain may be a shortcut, before a person has looked at it. */
export const heldGuards = [
  ...of(
    "server/src/loop/standingChampion.ts",
    ["server/src/loop/standingChampion.test.ts"],
    [
      [
        "An evolution does not go on from a held version.",
        "const isHeld = version !== undefined && isSetAside(version, lineage);",
        "const isHeld = false;",
      ],
    ],
  ),
  ...of(
    "server/src/proposals/standing/auditDoor.ts",
    ["server/src/proposals/standing/auditDoor.test.ts"],
    [["The audit split stays closed for a held version.", "if (doubt !== null) return", "if (false) return"]],
  ),
  ...of("server/src/memory/skills/fromVersion.ts", records, [
    ["A held version proves no skill.", "if (held !== null) return held;", ""],
  ]),
  ...of("server/src/memory/skills/record.ts", records, [
    ["A held version confirms no skill.", "doubtOn(version, doubtsOf) ?? scoreOf(", "scoreOf("],
    [
      "What a file says of a version whose skill is held here now does not count.",
      "spec.validations.filter((one) => !doubted.some((other) => isSame(one, other))),",
      "spec.validations,",
    ],
    [
      "A skill that somebody retired lends nothing to another one.",
      "more.length === 0 || record.retired !== null",
      "more.length === 0",
    ],
    ["A skill that nobody confirmed is not shared.", "if (domains.length === 0) return one;", ""],
  ]),
  ...of(
    "server/src/engine/versions/trialOf.ts",
    ["server/src/engine/versions/trialOf.test.ts"],
    [["A held version is not the best one before others.", " || isHeld(version)", ""]],
  ),
  ...of(
    "server/src/loop/steps/decide.ts",
    evolution,
    [["Nothing is made of a version in the step that holds it.", ".filter(({ isHeld }) => !isHeld)", ""]],
    { built: true },
  ),
];
