import { of } from "./mutant.ts";

const pickle = ["server/src/reading/pickle.test.ts"];
const parquet = ["server/src/reading/parquet.test.ts"];
const zip = ["server/src/reading/zip.test.ts"];
const source = ["server/src/lineage/adapters/readSource.test.ts"];
const compile = ["server/src/predicate/compile.test.ts"];

/** That a file of others is data, whatever it holds, and costs no more than it should. */
export const readingGuards = [
  ...of("server/src/reading/pickleMachine.ts", pickle, [
    [
      "A pickle imports nothing.",
      "if (!this.#limits.opaque && !isPlainName(full)) this.#refuseImport(full);",
      "",
    ],
    [
      "A pickle sets no state of plain data.",
      "if (!(target instanceof PickledObject)) this.#fail",
      "if (false) this.#fail",
    ],
    [
      "A pickle has a largest number of objects.",
      "if (++this.#objects > this.#limits.maxObjects)\n",
      "if (false)\n",
    ],
    ["A key of a pickle changes no prototype.", `if (name === "__proto__")`, "if (false)"],
  ]),
  ...of(
    "server/src/reading/pickleMachine.ts",
    pickle,
    [
      [
        "A pickle builds no object of a class.",
        "if (!this.#limits.opaque) this.#refuseImport(callee.$global);",
        "",
      ],
    ],
    {
      explained:
        "The check of the finished value refuses every object behind this one; this one says where in the file it stands.",
    },
  ),
  ...of("server/src/reading/pickleInput.ts", pickle, [
    [
      "A pickle takes no more memory than its file has bytes.",
      "if (length > this.#size - this.position)",
      "if (false)",
    ],
    ["A text in a pickle has a largest size.", "if (length > this.#maxString)", "if (false)"],
  ]),
  ...of("server/src/reading/pickleCheck.ts", pickle, [
    ["A pickle that contains itself is refused.", "if (path.has(child))", "if (false)"],
    ["A pickle does not nest without end.", "if (frames.length + 1 + height > maxDepth)", "if (false)"],
    ["A pickle does not unfold without end.", "if (top.cost > limits.maxUnfoldedBytes)", "if (false)"],
  ]),
  ...of("server/src/reading/parquet.ts", parquet, [
    [
      "A parquet file is read by a database that reads no other file.",
      `await connection.run("SET enable_external_access = false");`,
      "",
    ],
    [
      "A database that reads a parquet file keeps its settings.",
      `await connection.run("SET lock_configuration = true");`,
      "",
    ],
    ["The name of a parquet file is no SQL.", "`'${text.replaceAll(\"'\", \"''\")}'`", "`'${text}'`"],
    [
      "The name of a parquet file is no pattern.",
      "if (!/[*?[\\]{}\\\\]/.test(real))",
      "if (real.length > 0)",
    ],
    [
      "The name of a column is one that the parquet file has.",
      "if (!columns.some((c) => c.name === name))",
      "if (false)",
    ],
    ["The footer of a parquet file lies in it.", "if (ends.readUInt32LE(4) > size - 12)", "if (false)"],
  ]),
  ...of("server/src/reading/zstd.ts", zip, [
    ["A zstd window has a largest size.", "if (window > maxWindow)", "if (false)"],
    [
      "Tiny zstd blocks do not keep the reader at work.",
      "if (moved > freeMoves + produced * 256)",
      "if (false)",
    ],
  ]),
  ...of("server/src/reading/zip.ts", zip, [
    [
      "Files in a zip do not share their bytes.",
      "if (next !== undefined && end > next.offset)",
      "if (false)",
    ],
    ["A zip has a largest number of files.", "if (members.length === limits.maxMembers)", "if (false)"],
    ["All files of a zip together have a largest size.", "if (total > limits.maxTotalBytes)", "if (false)"],
    ["A file in a zip has a largest size.", "if (member.bytes > limits.maxMemberBytes)", "if (false)"],
    ["A file in a zip is no longer than it says.", "if (length > member.bytes)", "if (false)"],
  ]),
  ...of("server/src/reading/zipFileReader.ts", zip, [
    ["A zip points to no place outside of its file.", "if (position + length > this.#size)", "if (false)"],
  ]),
  ...of("server/src/lineage/adapters/readSource.ts", source, [
    ["A lineage of another tool has a largest size.", "if (size > limit)", "if (false)"],
    [
      "Every broken document does not cost a pass over the rest.",
      "next === null || problems.length >= 100",
      "next === null",
    ],
  ]),
  ...of("server/src/predicate/constantSql.ts", compile, [
    [
      "A quote in a text of a condition does not end the text.",
      "const text = (value: string): string => `'${value.replaceAll(\"'\", \"''\")}'`;",
      "const text = (value: string): string => `'${value}'`;",
    ],
  ]),
  ...of("server/src/predicate/check.ts", compile, [
    [
      "The name of an argument in a condition ends no path.",
      `key.includes('"') || key.includes("\\\\")`,
      "false",
    ],
  ]),
  ...of(
    "server/src/evidence/store/sqlConstant.ts",
    ["server/src/evidence/store/sqlConstant.test.ts"],
    [["Only a plain name is written into SQL.", "/^[\\w.-]+$/.test(text)", "text.length > 0"]],
  ),
  ...of(
    "server/src/evidence/queries/textQuery.ts",
    ["server/src/evidence/queries/search.test.ts"],
    [
      [
        "A text that is searched for is no pattern.",
        `: pattern.replaceAll(/[\\u0021-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u007e]/g, "\\\\$&");`,
        ": pattern;",
      ],
    ],
  ),
  ...of(
    "server/src/expression/regex.ts",
    ["server/src/expression/expression.test.ts"],
    [["A pattern of a mapping file has a largest size.", "if (pattern.length > maxPattern)", "if (false)"]],
  ),
  ...of(
    "server/src/expression/frame.ts",
    ["server/src/expression/expression.test.ts"],
    [["An expression of a mapping file has a bound.", "maxSteps = 1_000_000;", "maxSteps = 20_000_000;"]],
  ),
  ...of(
    "server/src/evidence/mapping/readMapping.ts",
    ["server/src/evidence/mapping/mapping.test.ts"],
    [
      ["A mapping file has a largest size.", "if (text.length > maxLength)", "if (false)"],
      [
        "Anchors of a mapping file do not unfold without end.",
        "{ maxAliasCount: 100 }",
        "{ maxAliasCount: -1 }",
      ],
    ],
  ),
  ...of(
    "server/src/project/readSpec.ts",
    ["server/src/project/readSpec.test.ts"],
    [["Anchors of a spec do not unfold without end.", "{ maxAliasCount: 100 }", "{ maxAliasCount: -1 }"]],
  ),
];
