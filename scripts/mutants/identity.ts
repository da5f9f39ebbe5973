import { of } from "./mutant.ts";

const frozen = ["server/src/project/frozen/frozenPaths.test.ts"];
const check = ["server/src/runner/job/evaluationCheck.test.ts"];
const comparable = ["server/src/engine/project/comparable.test.ts"];
const plain = ["server/src/lineage/checkouts/plainFiles.test.ts"];

/** What a version is measured on, and that a job left it alone. */
export const identityGuards = [
  ...of("server/src/project/frozen/frozenPaths.ts", frozen, [
    ["What lies in a frozen folder is frozen.", "|| at.startsWith(`${name}/`)", ""],
    [
      "A frozen file is frozen in other capitals too.",
      'path.normalize("NFC").toLowerCase()',
      'path.normalize("NFC")',
    ],
    [
      "A frozen file is frozen in another Unicode form too.",
      'path.normalize("NFC").toLowerCase()',
      "path.toLowerCase()",
    ],
    [
      "The split that versions are chosen by, and the sealed one, are frozen.",
      "[...files, splits.selection, splits.audit]",
      "[...files]",
    ],
    [
      "What a link of the evaluation leads to is frozen.",
      "[place(path, declared, because), ...linkedAreas([path], declared, links)];",
      "[place(path, declared, because)];",
    ],
  ]),
  ...of("server/src/runner/job/evaluationCheck.ts", check, [
    [
      "An evaluation file with another content disqualifies a job.",
      "if (other !== undefined) return",
      "if (false) return",
    ],
    [
      "A file that is added to the evaluation disqualifies a job.",
      "if (added !== undefined) return",
      "if (false) return",
    ],
    [
      "An evaluation file that was changed and put back disqualifies a job.",
      "return touched === undefined ? undefined : {",
      "return touched !== undefined ? undefined : {",
    ],
  ]),
  ...of("server/src/engine/project/comparable.ts", comparable, [
    [
      "Versions that were measured on other things are not compared.",
      "if (left.digest === right.digest)",
      "if (left.schema === right.schema)",
    ],
    [
      "A comparison of versions that were measured on other things is refused.",
      `if (refusal !== null) throw`,
      "if (false) throw",
    ],
  ]),
  ...of("server/src/lineage/checkouts/plainFiles.ts", plain, [
    [
      "A checkout uses no attributes of the repository.",
      `await writeFile(join(folder, "info/attributes"), noAttributes);`,
      "",
    ],
    [
      "A checkout holds nothing that its job is not to get, whatever its name.",
      "if (there.length > 0) await leaveOut(",
      "if (false) await leaveOut(",
    ],
  ]),
  ...of(
    "server/src/lineage/gitProcess/direct.ts",
    ["server/src/lineage/repository.test.ts"],
    [["Git shows no object in the place of another.", `    GIT_NO_REPLACE_OBJECTS: "1",\n`, ""]],
  ),
];
