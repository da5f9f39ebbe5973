import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { frozenSurface } from "./frozen-surface.ts";

const project = (surfaces: string, frozen: string): string => `apiVersion: evotrainer/v1
kind: Project
name: p
domain: d
trainer: { command: [node, train.mjs] }
evaluation:
  splits: { train: data/train.jsonl, selection: data/selection.jsonl, audit: data/audit.jsonl }
surfaces:
${surfaces}
frozen:
${frozen}
`;
const check = (text: string): void =>
  void checkMarked({ kind: "project", path: "evotrainer.yaml", text, rules: [frozenSurface], files: {} });

describe("rule frozen-surface", () => {
  it("notices a path that is both a surface and frozen", () =>
    check(
      project(
        `  - { factor: sampling, file: harness/a.yaml, paths: [data.seed, rate] }
                                                      ^^^^^^^^^ frozen-surface: data.seed of harness/a.yaml is both a surface and frozen`,
        "  - { file: harness/a.yaml, paths: [data] }",
      ),
    ));

  it("notices a surface in a file that is frozen as a whole", () =>
    check(
      project(
        `  - { factor: sampling, file: harness/a.yaml }
                              ^^^^^^^^^^^^^^ frozen-surface: harness/a.yaml is both a surface and frozen`,
        "  - { file: harness/a.yaml }",
      ),
    ));

  it("accepts a surface of which a part is frozen", () => {
    check(project("  - { factor: sampling, file: a.yaml }", "  - { file: a.yaml, paths: [steps] }"));
    check(
      project(
        "  - { factor: sampling, file: a.yaml, paths: [data] }",
        "  - { file: a.yaml, paths: [data.seed] }",
      ),
    );
  });
});
