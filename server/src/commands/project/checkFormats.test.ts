import assert from "node:assert/strict";
import { z } from "zod";
import { allRules } from "../../language/checks/ruleSet.ts";
import { annotation, sarifLog } from "./checkFormats.ts";

const finding = {
  ...{ file: "harness/a b.diagnostic.yaml", line: 3, column: 5, severity: "error" as const },
  ...{ code: "expression", message: "Nothing is called `turn`: did you mean `turns`?" },
};

/** What SARIF 2.1.0 demands of the parts that we write (sections 3.13, 3.14, 3.19, 3.27 to 3.30, 3.49). */
const Log = z.object({
  version: z.literal("2.1.0"),
  runs: z.tuple([
    z.object({
      tool: z.object({
        driver: z.object({
          name: z.string(),
          rules: z.array(
            z.object({ id: z.string(), shortDescription: z.object({ text: z.string().min(1) }) }),
          ),
        }),
      }),
      originalUriBaseIds: z.object({ PROJECT: z.object({ uri: z.url().endsWith("/") }) }),
      results: z.array(
        z.object({
          ruleId: z.string(),
          ruleIndex: z.int().nonnegative(),
          level: z.enum(["note", "warning", "error"]),
          message: z.object({ text: z.string() }),
          locations: z.tuple([
            z.object({
              physicalLocation: z.object({
                artifactLocation: z.object({
                  uri: z.string().regex(/^[^\s\\]+$/),
                  uriBaseId: z.literal("PROJECT"),
                }),
                region: z.object({ startLine: z.int().positive(), startColumn: z.int().positive() }),
              }),
            }),
          ]),
        }),
      ),
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

  it("are annotations of a workflow, whose text can give it no command", () => {
    assert.equal(
      annotation({ ...finding, message: "a\n::set-output name=x::1 100%" }),
      "::error file=harness/a b.diagnostic.yaml,line=3,col=5,title=expression::a%0A::set-output name=x::1 100%25\n",
    );
  });
});
