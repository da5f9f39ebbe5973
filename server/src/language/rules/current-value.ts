import { isValueEdit, placedEdits } from "../../../../shared/spec/edit.ts";
import { valueSurfaces } from "../../project/surfaces.ts";
import { stringify } from "yaml";
import { z } from "zod";
import { interventionIn } from "../syntax/typedSpec.ts";
import { Scalar } from "../../../../shared/spec/common.ts";
import { defineRule } from "../rule/rule.ts";
import { scalarText } from "../syntax/scalarText.ts";
import { locate, spanFor } from "../syntax/parseSpec.ts";
import { listed, similar } from "../../base/similar.ts";
import { scalarPaths, valueAtPath } from "../syntax/valuePath.ts";

/** The part of an edit that does not fit the project as it is, and what would. */
const Data = z.object({ edit: z.int(), key: z.enum(["file", "path", "from"]), near: z.array(Scalar) });
type Data = z.infer<typeof Data>;

const yamlText = (value: unknown) => stringify(value).trimEnd();

export const currentValue = defineRule<Data>({
  meta: {
    id: "current-value",
    severity: "error",
    kinds: ["intervention"],
    docs: "The edited file and path exist, and they have the value from which the intervention starts.",
    example: {
      wrong: `edit: [{ file: harness/main.reward.yaml, path: components.corectness.shape, from: flat, to: binary }]`,
      right: `edit: [{ file: harness/main.reward.yaml, path: components.correctness.shape, from: flat, to: binary }]`,
    },
  },
  data: Data,
  *check({ spec, project }) {
    const intervention = interventionIn(spec);
    if (!intervention || !project) return;
    const known = [...new Set(project.spec ? valueSurfaces(project.spec).map(({ file }) => file) : [])];
    for (const [edit, one] of placedEdits(intervention.edit)) {
      const { file, path } = one;
      const finding = (key: Data["key"], message: string, near: Data["near"]) => ({
        span: spanFor(spec, ["edit", edit, key]),
        message,
        data: { edit, key, near },
      });
      const target = project.read(file);
      if (!target) {
        const near = similar(
          file,
          known.filter((one) => one !== file),
        );
        yield finding("file", `The project has no file ${file}.${hint(near)}`, near);
        continue;
      }
      // A file that is broken gets its own message where it is open.
      if (target.problems.length > 0) continue;
      const actual = valueAtPath(target.value, path);
      if (!actual.found) {
        const near = similar(path, scalarPaths(target.value));
        yield finding("path", `${file} has no value at ${path}.${hint(near)}`, near);
        continue;
      }
      const scalar = Scalar.safeParse(actual.value);
      if (!scalar.success)
        yield finding("path", `${path} of ${file} is a list or a mapping; an edit replaces one value.`, []);
      else if (isValueEdit(one) && !Object.is(scalar.data, one.from))
        yield finding("from", `${path} of ${file} is ${yamlText(scalar.data)}, not ${yamlText(one.from)}.`, [
          scalar.data,
        ]);
    }
  },
  fix({ spec }, { edit, key, near }) {
    const span = locate(spec, ["edit", edit, key]).value;
    if (!span) return [];
    return near.map((value) => ({
      title: `Change to ${yamlText(value)}`,
      edits: [{ span, text: scalarText(value, spec.text.slice(span.start, span.end)) }],
    }));
  },
});

const hint = (near: readonly string[]) => (near.length > 0 ? ` Did you mean ${listed(near)}?` : "");
