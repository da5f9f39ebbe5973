import assert from "node:assert/strict";
import fc from "fast-check";
import { HarnessError } from "../base/errors.ts";
import { fuzzRuns } from "../../../test/support/base/fuzz.ts";
import { parseYaml } from "../base/yaml.ts";
import { addHost } from "./addHost.ts";

const entry = { ssh: "gpu.lab", port: 2222 };
const line = "gpu: { ssh: gpu.lab, port: 2222 }";

const cases: readonly (readonly [string, string, string])[] = [
  ["no hosts", "a: 1 # one\n# end\n", `a: 1 # one\n# end\nhosts:\n  ${line}\n`],
  ["no hosts and no line end", "a: 1", `a: 1\nhosts:\n  ${line}\n`],
  ["no content", "", `hosts:\n  ${line}\n`],
  ["nothing after the colon", "hosts: # mine\na: 1\n", `hosts: # mine\n  ${line}\na: 1\n`],
  ["null", "hosts: null\na: 1\n", `hosts: { ${line} }\na: 1\n`],
  ["braces", "hosts: {}\na: 1\n", `hosts: { ${line} }\na: 1\n`],
  ["a flow map", "hosts: { x: {}, } # c\na: 1\n", `hosts: { x: {}, ${line} } # c\na: 1\n`],
  [
    "a block",
    "hosts:\n    # first\n    x: {} # c\n    y:\n        gpus: 1 # two\n\n# next\na: 1\n",
    `hosts:\n    # first\n    x: {} # c\n    y:\n        gpus: 1 # two\n    ${line}\n\n# next\na: 1\n`,
  ],
  ["a block at the end", "a: 1\nhosts:\n  x: {}", `a: 1\nhosts:\n  x: {}\n  ${line}\n`],
  ["a block without a value", "hosts:\n  x:\na: 1\n", `hosts:\n  x:\n  ${line}\na: 1\n`],
  ["Windows line ends", "hosts:\r\n  x: {}\r\na: 1\r\n", `hosts:\r\n  x: {}\r\n  ${line}\r\na: 1\r\n`],
];

describe("adding a host", () => {
  for (const [name, before, after] of cases)
    it(`changes a file with ${name}`, () => assert.equal(addHost(before, "gpu", entry), after));

  it("refuses a file that has the host already, cannot be read or has something else under hosts", () => {
    for (const [text, reason] of [
      ["hosts: { gpu: {} }\n", "badInput"],
      ["hosts: [a]\n", "badInput"],
      ["- a\n", "badInput"],
      ["a: [\n", "specInvalid"],
    ] as const)
      assert.throws(
        () => addHost(text, "gpu", entry),
        (e) => HarnessError.is(e, reason),
        text,
      );
  });

  it("changes nothing else in any file, or refuses", () => {
    const comment = fc.constantFrom("", " # c", "\n# c");
    const hosts = fc.constantFrom(
      "hosts:",
      "hosts: {}",
      "hosts: {a: {}}",
      "hosts:\n  a: {}",
      "hosts: &x {a: 1}",
      "x: 1",
      "hosts:\n  a:\n    b: |\n      t",
    );
    fc.assert(
      fc.property(
        hosts,
        comment,
        fc.constantFrom("", "\nz: 1", "\n\nz:\n  - 1\n", "\n...\n"),
        comment,
        (h, c, rest, d) => {
          const text = `${h}${c}${rest}${d}`;
          const before: unknown = parseYaml(text).toJS();
          let after: string;
          try {
            after = addHost(text, "gpu", entry);
          } catch (e) {
            assert.ok(HarnessError.is(e));
            return;
          }
          const parsed = parseYaml(after).toJS() as { hosts: Record<string, unknown> };
          assert.deepEqual(parsed.hosts["gpu"], entry);
          delete parsed.hosts["gpu"];
          const { hosts: were, ...others } = before as { hosts?: object };
          assert.deepEqual(parsed, { ...others, hosts: were ?? {} });
          for (const kept of text.split("\n")) if (/^#|z:/.test(kept)) assert.ok(after.includes(kept));
        },
      ),
      { numRuns: fuzzRuns() },
    );
  });
});
