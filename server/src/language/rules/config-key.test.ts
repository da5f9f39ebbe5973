import assert from "node:assert/strict";
import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { configKey } from "./config-key.ts";

const withSchema = (schema: string) => ({
  ...sampleProject,
  "evotrainer.yaml": (sampleProject["evotrainer.yaml"] ?? "").replace(
    "file: harness/config.json }",
    "file: harness/config.json, schema: harness/known.yaml }",
  ),
  "harness/known.yaml": schema,
});
const check = (text: string, schema?: string, parent?: string) =>
  checkMarked({
    kind: "config",
    path: "harness/config.json",
    text,
    rules: [configKey],
    files: schema === undefined ? sampleProject : withSchema(schema),
    ...(parent !== undefined && { parent: { "harness/config.json": parent } }),
  });

describe("rule config-key", () => {
  const defaults = "actor: { entropy_coeff: 0, clip_ratio: 0.2, kwargs: {}, optim: null }\n";
  it("checks a config against a file of defaults", () => {
    const { fixes, fixed } = check(
      `actor: { entropy_coef: 0.1, clip_ratio: 0.2 }
         ^^^^^^^^^^^^ config-key: harness/known.yaml does not know the key entropy_coef. Did you mean entropy_coeff?
surprise: 1
^^^^^^^^ config-key: does not know the key surprise.
`,
      defaults,
    );
    assert.deepEqual(fixes, ["Change to entropy_coeff"]);
    assert.match(fixed, /entropy_coeff: 0.1/);
  });

  it("accepts anything below an empty default", () =>
    void check("actor: { kwargs: { seed: 1 }, optim: { lr: 1 } }\n", defaults));

  it("checks a config against a JSON Schema, with references", () => {
    const schema = (more: object) =>
      JSON.stringify({
        $schema: "https://json-schema.org/draft/2020-12/schema",
        properties: { actor: { $ref: "#/$defs/actor" }, data: { type: "object" } },
        $defs: { actor: { allOf: [{ properties: { lr: {} } }], properties: { clip_ratio: {} }, ...more } },
      });
    check(
      `actor: { lr: 1, clip_ration: 2, other: 3 }
                ^^^^^^^^^^^ config-key: Did you mean clip_ratio?
data: { any: 1 }
`,
      schema({}),
    );
    check(
      `actor: { lr: 1, clip_ratio: 2, other: 3 }
                               ^^^^^ config-key
`,
      schema({ additionalProperties: false }),
    );
  });

  it("checks a config against the parent's: only a renamed key is wrong", () => {
    check(
      `clip_ratio: 0.2
clip_ratio_low: 0.1
temprature: 1.2
^^^^^^^^^^ config-key: v4 has no key temprature here. Did you mean temperature?
`,
      undefined,
      "clip_ratio: 0.2\ntemperature: 1\n",
    );
  });

  it("reports nothing when nothing is declared or the declared file is broken", () => {
    check("surprise: 1\n");
    check("surprise: 1\n", "a: [");
    check("surprise: 1\n", undefined, "a: [");
  });

  it("finishes with a schema that refers to itself", () =>
    void check(
      "a: { a: { a: { b: 1 } } }\n",
      JSON.stringify({ $schema: "x", $ref: "#", anyOf: [{ $ref: "#" }], properties: { a: { $ref: "#" } } }),
    ));
});
