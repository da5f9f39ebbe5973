import assert from "node:assert/strict";
import type { z } from "zod";
import { keysOf, schemaAt, typeName } from "../syntax/schemaShape.ts";
import { specSchemas, type SpecKind } from "../syntax/specKind.ts";
import { projectOf } from "../../../../test/support/language/markedText.ts";
import { sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { complete } from "./completion.ts";

const isKind = (kind: string): kind is SpecKind => Object.hasOwn(specSchemas, kind);

/** These may be anything at all: `writable` names places outside the project, a commit may be another project's. */
const anything: Readonly<Partial<Record<SpecKind, readonly string[]>>> = {
  project: ["trainer.writable.*", "hosts.name.ray.options.name", "models.name.price.currency"],
  skill: ["validations.*.commit"],
  diagnostic: ["examples.*.group.*.turns.*.args.name", "examples.*.group.*.extra.name"],
};

/** Every place of a schema that has a value of its own, as a text that ends where it is to be written. */
function leavesOf(
  schema: z.core.$ZodType,
  path = "",
  text = "",
  indent = "",
  lead = indent,
): { readonly path: string; readonly text: string }[] {
  const keys = keysOf(schema);
  const below = (key: string, child: z.core.$ZodType): ReturnType<typeof leavesOf> => {
    const type = typeName(child);
    const at = `${path}${key}`;
    const line = `${text}${lead}${key}:`;
    const inner = schemaAt(child, [0]);
    if (inner && type.startsWith("list"))
      return keysOf(inner)
        ? leavesOf(inner, `${at}.*.`, `${line}\n${indent}  - `, `${indent}    `, "")
        : [{ path: `${at}.*`, text: `${line}\n${indent}  - ` }];
    return type.startsWith("mapping")
      ? leavesOf(child, `${at}.`, `${line}\n`, `${indent}  `)
      : [{ path: at, text: `${line} ` }];
  };
  if (keys) return [...keys].flatMap(([key, shape]) => below(key, shape.schema));
  const value = schemaAt(schema, ["name"]);
  return value ? below("name", value) : [];
}

describe("completion of values", () => {
  for (const [kind, schema] of Object.entries(specSchemas))
    if (isKind(kind) && kind !== "config")
      it(`offers something everywhere a ${kind} has a value`, () => {
        const without = leavesOf(schema).filter(({ text }) => {
          const file = `/project/harness/some.${kind}.yaml`;
          const project = projectOf(sampleProject);
          const context = { spec: { kind, text }, project, file, root: import.meta.dirname };
          return complete(context, text.length).length === 0;
        });
        assert.deepEqual(
          without.map(({ path }) => path),
          anything[kind] ?? [],
        );
      });
});
