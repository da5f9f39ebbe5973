import assert from "node:assert/strict";
import { Name, ProjectPath, ValuePath } from "./common.ts";
import { hostAddress } from "./hostAddress.ts";

const takes = (schema: { safeParse(value: string): { success: boolean } }, text: string): boolean =>
  schema.safeParse(text).success;

describe("a path inside the project", () => {
  for (const path of ["a", "a/b.yaml", "a..b", "..a/b", ".hidden", "a/./b", "ü/ß", "a b"])
    it(`may be ${JSON.stringify(path)}`, () => {
      assert.ok(takes(ProjectPath, path));
    });
  for (const [path, why] of [
    ["", "empty"],
    ["/etc/passwd", "absolute"],
    ["-rf", "an option"],
    ["a\0b", "cut by a NUL character"],
    ["a\\b", "of Windows"],
    ["C:\\a", "of a drive"],
    ["..", "the folder above"],
    ["../a", "outside"],
    ["a/../../b", "outside in the end"],
    ["a/..", "back where it began"],
  ] as const)
    it(`is not ${JSON.stringify(path)}, which is ${why}`, () => {
      assert.ok(!takes(ProjectPath, path));
    });
});

describe("a name", () => {
  it("holds lower-case letters, digits, - and _, and no more than 64 of them", () => {
    for (const name of ["a", "v1-leak", "0_a", "a".repeat(64)]) assert.ok(takes(Name, name), name);
    for (const name of ["", "-a", "_a", "A", "a/b", "a.b", "a b", "a\n", "a'", "a".repeat(65)])
      assert.ok(!takes(Name, name), name);
  });
});

describe("the path of a value", () => {
  it("has names between dots and nothing else", () => {
    for (const path of ["a", "a.b.c", "a-b.c_d.0"]) assert.ok(takes(ValuePath, path), path);
    for (const path of ["", ".", "a.", ".a", "a..b", "a[0]", "a/b", "a b", "a\n"])
      assert.ok(!takes(ValuePath, path), path);
  });
});

describe("the address of a host", () => {
  it("is one word and never an option", () => {
    for (const host of ["gpu1", "a.b.c", "10.0.0.1", "_x", "a:22"]) assert.ok(hostAddress.test(host), host);
    for (const host of [
      "",
      "-oProxyCommand=x",
      "-v",
      "a b",
      "a;b",
      "a/b",
      "a\n",
      "user@host",
      `a${"b".repeat(253)}`,
    ])
      assert.ok(!hostAddress.test(host), host);
  });
});
