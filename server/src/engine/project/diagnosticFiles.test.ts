import assert from "node:assert/strict";
import { HarnessError } from "../../base/errors.ts";
import { usedDiagnostics } from "../../project/library.ts";
import { diagnosticsGiven, layered } from "./diagnosticFiles.ts";

const file = (path: string, name: string, rest: string): { path: string; text: string } => ({
  path,
  text: `apiVersion: evotrainer/v1\nkind: Diagnostic\nname: ${name}\n${rest}`,
});
const library = usedDiagnostics({ use: "all", params: {}, domains: {} }, "imported");

describe("diagnostics of files", () => {
  for (const [what, given, told] of [
    ["no YAML", [file("a.yaml", "a", "label: {")], /^a\.yaml:\d: .* Correct this line\.$/],
    ["not in the schema", [file("a.yaml", "A b", "label: { when: 'true' }")], /^a\.yaml:3: name: /],
    [
      "a wrong condition",
      [file("a.yaml", "a", "label:\n  severity: info\n  when: n_turn > 3")],
      /^a\.yaml:6: label\.when: Unknown variable: n_turn\. Did you mean .*n_turns.*\? Correct this line\.$/,
    ],
    [
      "a wrong condition of the turns",
      [file("a.yaml", "a", "label:\n  when: n_turns > 3\n  evidence: turn.tol == 'x'")],
      /^a\.yaml:6: label\.evidence: A turn has no field tol\./,
    ],
    [
      "a wrong condition over versions, and a wrong message",
      [file("a.yaml", "a", "over: version\nlabel:\n  when: nix > 3\n  message: '{nixx}'")],
      /^a\.yaml:6: label\.when: .* \(1 more problem\.\)$/,
    ],
    [
      "one name twice",
      [file("a.yaml", "a", "label: { when: 'true' }"), file("b.yaml", "a", "label: { when: 'false' }")],
      /^b\.yaml:3: The name a is already used by a\.yaml; rename one of them\.$/,
    ],
  ] as const)
    it(`are refused with file and line for ${what}`, () =>
      assert.throws(
        () => diagnosticsGiven(given),
        (e) => HarnessError.is(e, "specInvalid") && told.test(e.message),
      ));

  it("replace those with their name, and say so", () => {
    const own = diagnosticsGiven([
      file("mine.yaml", "empty-completion", "label: { when: reward < 0.5 }"),
      file(
        "new.yaml",
        "new",
        "domainParams: { imported: { x: 2 } }\nparams: { x: 1 }\nlabel: { when: reward < params.x }",
      ),
    ]);
    const { diagnostics, notes } = layered(own, library, "imported");
    assert.deepEqual(notes, [
      "mine.yaml is used instead of library/empty-completion.diagnostic.yaml: both have the name empty-completion.",
    ]);
    assert.equal(diagnostics.length, library.length + 1);
    assert.deepEqual(
      diagnostics.filter(({ spec }) => ["empty-completion", "new"].includes(spec.name)).map((d) => d.path),
      ["mine.yaml", "new.yaml"],
    );
    assert.deepEqual(diagnostics.find(({ spec }) => spec.name === "new")?.spec.params, { x: 2 });
  });

  it("are the same ones if they have the same text", () => {
    const [one] = library;
    assert.ok(one);
    const same = diagnosticsGiven([{ path: "copy.yaml", text: one.text }]);
    assert.deepEqual(layered(same, library, "swe").notes, []);
  });
});
