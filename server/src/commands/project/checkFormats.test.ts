import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { allRules } from "../../language/checks/ruleSet.ts";
import { annotation, sarifLog } from "./checkFormats.ts";

const finding = {
  ...{ file: "harness/a b.diagnostic.yaml", line: 3, column: 5, severity: "error" as const },
  ...{ code: "expression", message: "Nothing is called `turn`: did you mean `turns`?" },
};

/**
 * What SARIF 2.1.0 demands of the parts that we write (sections 3.13, 3.14, 3.18, 3.19, 3.27 to 3.30, 3.49). An object of SARIF
 * takes no property that the standard does not name, so neither do these.
 */
const Text = z.strictObject({ text: z.string().min(1) });
const Location = z.strictObject({
  physicalLocation: z.strictObject({
    artifactLocation: z.strictObject({
      // A relative reference: it begins with no slash, and nothing before a colon could be a scheme.
      uri: z.string().regex(/^(?:[\w.!~*'()-]|%[0-9A-F]{2})(?:[\w.!~*'()/-]|%[0-9A-F]{2})*$/),
      uriBaseId: z.literal("PROJECT"),
    }),
    region: z.strictObject({ startLine: z.int().positive(), startColumn: z.int().positive() }),
  }),
});
const Result = z.strictObject({
  ruleId: z.string(),
  ruleIndex: z.int().nonnegative(),
  level: z.enum(["none", "note", "warning", "error"]),
  message: Text,
  locations: z.tuple([Location]),
});
const Rule = z.strictObject({ id: z.string().min(1), shortDescription: Text });
const Log = z.strictObject({
  $schema: z.url(),
  version: z.literal("2.1.0"),
  runs: z.tuple([
    z.strictObject({
      tool: z.strictObject({
        driver: z.strictObject({
          name: z.string().min(1),
          semanticVersion: z.string().regex(/^\d+\.\d+\.\d+(?:-[\w.-]+)?$/),
          rules: z.array(Rule).refine((rules) => new Set(rules.map(({ id }) => id)).size === rules.length),
        }),
      }),
      originalUriBaseIds: z.strictObject({ PROJECT: z.strictObject({ uri: z.url().endsWith("/") }) }),
      columnKind: z.enum(["utf16CodeUnits", "unicodeCodePoints"]),
      results: z.array(Result),
    }),
  ]),
});

describe("findings of a check", () => {
  it("are a log of SARIF that code scanning takes", () => {
    const missing = { ...finding, code: "missing-file", severity: "info" as const };
    const log = Log.parse(sarifLog([finding, missing], "/work/my project"));
    const [{ tool, results, originalUriBaseIds }] = log.runs;
    assert.equal(originalUriBaseIds.PROJECT.uri, "file:///work/my%20project/");
    assert.deepEqual(
      results.map(({ ruleId, ruleIndex, level }) => [ruleId, tool.driver.rules[ruleIndex]?.id, level]),
      [
        ["expression", "expression", "error"],
        ["missing-file", "missing-file", "note"],
      ],
    );
    const uri = results[0]?.locations[0].physicalLocation.artifactLocation.uri;
    assert.equal(uri, "harness/a%20b.diagnostic.yaml");
    assert.equal(tool.driver.rules.length, allRules.length + 1);
  });

  it("are found again in SARIF, whatever the names of their files", () => {
    for (const file of ["a#b.skill.yaml", "c:/x.yaml", "50%/é?.yaml", "a b/[c].yaml"]) {
      const [{ results, originalUriBaseIds }] = Log.parse(sarifLog([{ ...finding, file }], "/work")).runs;
      const uri = results[0]?.locations[0].physicalLocation.artifactLocation.uri ?? "";
      assert.equal(fileURLToPath(new URL(uri, originalUriBaseIds.PROJECT.uri)), `/work/${file}`);
    }
  });

  it("that are none make a log that closes what was open before", () => {
    const [{ results }] = Log.parse(sarifLog([], "/work")).runs;
    assert.deepEqual(results, []);
  });

  it("are annotations of a workflow, whose text can give it no command", () => {
    assert.equal(
      annotation({ ...finding, message: "a\n::set-output name=x::1 100%" }),
      "::error file=harness/a b.diagnostic.yaml,line=3,col=5,title=expression::a%0A::set-output name=x::1 100%25\n",
    );
  });
});
