import assert from "node:assert/strict";
import { parse } from "yaml";
import { z } from "zod";
import { ProjectSpec } from "../shared/spec/project.ts";
import { pageOf } from "../test/support/pages/tryPage.ts";
import { stepsOf } from "../test/support/pages/page.ts";
import { keysOf } from "./specTables.ts";

const files = new Map(
  stepsOf(pageOf("project-file.md")).flatMap((step) =>
    step.type === "file" ? [[step.path, parse(step.text) as unknown]] : [],
  ),
);

/** Whether a document says something under a key as the tables write it: `a.b`, `list[].b`, `map.<name>.b`. */
function says(document: unknown, [part, ...rest]: readonly string[]): boolean {
  if (part === undefined) return true;
  if (typeof document !== "object" || document === null) return false;
  if (part === "<name>") return Object.values(document).some((value) => says(value, rest));
  const isList = part.endsWith("[]");
  const name = isList ? part.slice(0, -2) : part;
  const value: unknown = new Map(Object.entries(document)).get(name);
  if (value === undefined) return false;
  return isList ? Array.isArray(value) && value.some((entry) => says(entry, rest)) : says(value, rest);
}

describe("the page of evotrainer.yaml", () => {
  it("shows a shortest file to which nothing is missing and from which nothing can be taken", () => {
    const shortest = files.get("evotrainer.yaml");
    assert.deepEqual(z.safeParse(ProjectSpec, shortest).error?.issues, undefined);
    for (const [key] of Object.entries(shortest ?? {})) {
      const without = Object.fromEntries(Object.entries(shortest ?? {}).filter(([name]) => name !== key));
      assert.ok(!z.safeParse(ProjectSpec, without).success, `${key} is not required.`);
    }
  });

  it("shows a valid file with every key", () => {
    const every = files.get("every-key/evotrainer.yaml");
    assert.deepEqual(z.safeParse(ProjectSpec, every).error?.issues, undefined);
    const lacking = keysOf(ProjectSpec).filter(({ key }) => !says(every, key.split(".")));
    assert.deepEqual(
      lacking.map(({ key }) => key),
      [],
      "Add these keys to the example in docs/project-file.md.",
    );
  });
});

describe("the keys of a spec", () => {
  const Entry = z.union([
    z.strictObject({ kind: z.literal("a").describe("A."), size: z.int().min(1).describe("How large.") }),
    z.strictObject({ kind: z.literal("b").describe("B.") }),
  ]);

  it("are listed with what they may be, what holds without them, and their forms together", () => {
    const Spec = z.strictObject({
      list: z.array(Entry).describe("Entries."),
      names: z.record(z.string(), z.number().max(1)).default({}).describe("Numbers."),
    });
    assert.deepEqual(
      keysOf(Spec).map(({ key, type, without, meaning }) => [key, type, without, meaning]),
      [
        ["list", "list of entries with the keys below", "required", "Entries."],
        ["list[].kind", "`a`, or `b`", "required", "A. Or: B."],
        ["list[].size", "whole number, 1 or more", "", "How large."],
        ["names", "for each name: number, at most 1", "`{}`", "Numbers."],
      ],
    );
  });

  it("are refused where a schema does not say what one is for", () => {
    assert.throws(
      () => keysOf(z.strictObject({ a: z.string() })),
      /^Error: a has no description in shared\/spec/,
    );
  });
});
