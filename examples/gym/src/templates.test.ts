import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { InterventionSpec } from "../../../shared/spec/intervention.ts";
import { isValueSurface } from "../../../shared/spec/surface.ts";
import { valueEdits } from "../../../shared/spec/edit.ts";
import { ProjectSpec } from "../../../shared/spec/project.ts";

function valueAt(document: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (value, key) =>
        typeof value === "object" && value !== null
          ? Object.entries(value).find(([k]) => k === key)?.[1]
          : undefined,
      document,
    );
}

const rules = [
  "insufficient-signal",
  "echo-trap-rule",
  "exploration-collapse",
  "reward-hacking",
  "laziness",
  "poor-edits",
  "low-score",
  "phantom-group",
  "phantom-signal",
  "over-filtering",
];

for (const gym of ["swe-gym", "math-gym", "code-gym"])
  describe(`the template of ${gym}`, () => {
    const template = new URL(`../../${gym}/template/`, import.meta.url);
    const read = (file: string): unknown => parse(readFileSync(new URL(file, template), "utf8"));
    const project = ProjectSpec.parse(read("evotrainer.yaml"));
    const diagnostics = readdirSync(new URL("harness/diagnostics/", template));
    const labels = diagnostics.map((file) => file.replace(".diagnostic.yaml", ""));
    const interventions = readdirSync(new URL("harness/interventions/", template));

    for (const file of diagnostics)
      it(`${file} is a diagnostic with the name of its file`, () => {
        const spec = DiagnosticSpec.parse(read(`harness/diagnostics/${file}`));
        assert.equal(`${spec.name}.diagnostic.yaml`, file);
        assert.ok(spec.description);
      });

    for (const file of interventions)
      it(`${file} changes one declared value that the baseline has`, () => {
        const spec = InterventionSpec.parse(read(`harness/interventions/${file}`));
        assert.equal(`${spec.name}.intervention.yaml`, file);
        for (const name of [...spec.targets, ...spec.predicts.fixes, ...spec.predicts.risks])
          assert.ok(labels.includes(name) || rules.includes(name), `unknown label ${name}`);
        assert.equal(valueEdits(spec.edit).length, 1);
        for (const [, edit] of valueEdits(spec.edit)) {
          assert.deepEqual(valueAt(read(edit.file), edit.path), edit.from);
          assert.notEqual(edit.from, edit.to);
          const inside = (paths: readonly string[] | undefined): boolean =>
            paths === undefined || paths.some((p) => edit.path === p || edit.path.startsWith(`${p}.`));
          assert.ok(
            project.surfaces
              .filter(isValueSurface)
              .some((s) => s.file === edit.file && s.factor === spec.factor && inside(s.paths)),
          );
          assert.ok(!project.frozen.some((f) => f.file === edit.file && inside(f.paths)));
        }
      });

    it("has an intervention for every factor that it declares", () => {
      const factors = new Set(
        interventions.map((file) => InterventionSpec.parse(read(`harness/interventions/${file}`)).factor),
      );
      assert.deepEqual([...factors].sort(), project.surfaces.map((s) => s.factor).sort());
    });
  });
