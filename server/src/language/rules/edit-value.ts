import { schemaFileOf } from "../../project/surfaces.ts";
import { stringify } from "yaml";
import { z } from "zod";
import { valueEdits, type ValueEdit } from "../../../../shared/spec/edit.ts";
import type { Scalar } from "../../../../shared/spec/common.ts";
import { listed, similar } from "../../base/similar.ts";
import { withEdits } from "../project/applyEdits.ts";
import { knownPlaces } from "../project/configSchema.ts";
import { errorBy, interventionIn } from "../syntax/typedSpec.ts";
import { defineRule, type Finding, type ProjectContext } from "../rule/rule.ts";
import { locate, spanFor, type ParsedSpec } from "../syntax/parseSpec.ts";
import { schemaAt, valuesOf } from "../syntax/schemaShape.ts";
import { specKindOf, specSchemas } from "../syntax/specKind.ts";
import { valueAtPath } from "../syntax/valuePath.ts";

const Data = z.object({ edit: z.int(), near: z.array(z.string()) });
type Data = z.infer<typeof Data>;

export const editValue = defineRule<Data>({
  meta: {
    id: "edit-value",
    severity: "error",
    kinds: ["intervention"],
    docs: "The new value of an edit differs from the old one, has the same type, and is allowed in the edited file.",
    example: {
      wrong: `edit: [{ file: harness/main.reward.yaml, path: components.correctness.shape, from: flat, to: binry }]`,
      right: `edit: [{ file: harness/main.reward.yaml, path: components.correctness.shape, from: flat, to: binary }]`,
    },
  },
  data: Data,
  *check({ spec, project }) {
    for (const [i, edit] of valueEdits(interventionIn(spec)?.edit ?? [])) {
      const problem = selfProblem(edit) ?? (project && declaredProblem(edit, project));
      if (problem !== undefined)
        yield { span: spanFor(spec, ["edit", i, "to"]), message: problem, data: { edit: i, near: [] } };
      else if (project) yield* resultProblems(spec, edit, i, project);
    }
  },
  fix({ spec }, { edit, near }) {
    const span = locate(spec, ["edit", edit, "to"]).value;
    return span ? near.map((word) => ({ title: `Change to ${word}`, edits: [{ span, text: word }] })) : [];
  },
});

/** What is wrong with an edit whatever it edits. */
function selfProblem({ path, from, to }: ValueEdit): string | undefined {
  if (Object.is(from, to)) return `${path} stays ${shown(from)}: this edit changes nothing.`;
  if (from === null || to === null || typeof from === typeof to) return undefined;
  return `${shown(to)} is a ${typeName(to)}, but ${path} is a ${typeName(from)}.`;
}

/** What the schema that a config's surface names says about the new value. */
function declaredProblem({ file, path, to }: ValueEdit, project: ProjectContext): string | undefined {
  const schema = schemaFileOf(project.spec, file);
  const text = schema === undefined ? undefined : project.read(schema);
  const place = text && knownPlaces(text)?.(path.split("."));
  if (!place) return undefined;
  if (place.values && !place.values.includes(to))
    return `${schema ?? ""} allows ${listed(place.values.map(String))} for ${path}, not ${shown(to)}.`;
  if (place.types && !place.types.some((type) => isOfType(to, type)))
    return `${schema ?? ""} needs ${listed(place.types)} for ${path}, not ${shown(to)}.`;
  return undefined;
}

/** Whether a spec that is edited is still one. */
function* resultProblems(
  spec: ParsedSpec,
  edit: ValueEdit,
  i: number,
  project: ProjectContext,
): Iterable<Finding<Data>> {
  const kind = specKindOf(edit.file);
  if (kind === undefined) return;
  const text = project.read(edit.file);
  const schema = specSchemas[kind];
  // A file that is broken, or an edit that does not find its value, gets a message of its own.
  if (!text || errorBy(schema, text) !== undefined || !valueAtPath(text.value, edit.path).found) return;
  const after = schema.safeParse(withEdits(text.value, [edit]));
  const issue = after.error?.issues[0];
  if (!issue) return;
  const steps = edit.path.split(".");
  const place = schemaAt(schema, steps);
  const allowed = place && valuesOf(place);
  yield {
    span: spanFor(spec, ["edit", i, "to"]),
    message: allowed
      ? `${edit.path} must be ${listed(allowed)}, not ${shown(edit.to)}.`
      : `With this edit ${edit.file} is no longer valid: ${issue.message.replace(/\.?$/, ".")}`,
    data: { edit: i, near: allowed && typeof edit.to === "string" ? similar(edit.to, allowed) : [] },
  };
}

function isOfType(value: Scalar, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  return type === (value === null ? "null" : typeof value);
}

const shown = (value: Scalar): string => stringify(value).trimEnd();

function typeName(value: Scalar): string {
  return typeof value === "string" ? "text" : typeof value === "boolean" ? "yes or no" : typeof value;
}
