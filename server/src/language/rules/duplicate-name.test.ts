import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { duplicateName } from "./duplicate-name.ts";

const named = (name: string) => `apiVersion: evotrainer/v1
kind: Diagnostic
name: ${name}
label: { when: reward > 0 }
`;
const check = (text: string, files: Readonly<Record<string, string>>) =>
  void checkMarked({
    kind: "diagnostic",
    text,
    path: "harness/diagnostics/a.diagnostic.yaml",
    rules: [duplicateName],
    files: { ...sampleProject, ...files },
  });

describe("rule duplicate-name", () => {
  it("names the other file", () =>
    check(
      named("same\n      ^^^^ duplicate-name: harness/diagnostics/b.diagnostic.yaml also has the name same"),
      {
        "harness/diagnostics/b.diagnostic.yaml": named("same"),
      },
    ));
  it("leaves out one that nobody reads where it lies: `check` says so of that one", () =>
    check(named("same"), { "elsewhere/b.diagnostic.yaml": named("same") }));
  it("accepts another name, and the same name for another kind", () => {
    check(named("same"), { "harness/diagnostics/b.diagnostic.yaml": named("other") });
    check(named("same"), { "b.reward.yaml": "name: same\n" });
  });
});
