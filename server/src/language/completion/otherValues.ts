import { schemaFileOf } from "../../project/surfaces.ts";
import { Scalar } from "../../../../shared/spec/common.ts";
import { knownPlaces } from "../project/configSchema.ts";
import type { ProjectContext } from "../rule/rule.ts";
import { schemaAt, valuesOf } from "../syntax/schemaShape.ts";
import { specKindOf, specSchemas } from "../syntax/specKind.ts";
import { valueAtPath } from "../syntax/valuePath.ts";

/** Values that may take the place of the one at a path of a file: those that are allowed there, else some of its type. */
export function otherValues(project: ProjectContext, file: string, path: string): string[] {
  const text = project.read(file);
  const now = Scalar.safeParse(text && valueAtPath(text.value, path).value).data;
  const allowed = allowedAt(project, file, path);
  const found = allowed.length > 0 ? allowed : ofTypeOf(now);
  return [...new Set(found.map(String))].filter((one) => one !== String(now));
}

/** What the kind of the spec allows there, or the schema that the project names for the file. */
function allowedAt(project: ProjectContext, file: string, path: string): readonly unknown[] {
  const steps = path.split(".");
  const kind = specKindOf(file);
  const place = kind && schemaAt(specSchemas[kind], steps);
  if (place) return valuesOf(place) ?? [];
  const named = schemaFileOf(project.spec, file);
  const declared = named === undefined ? undefined : project.read(named);
  return (declared && knownPlaces(declared)?.(steps)?.values) ?? [];
}

function ofTypeOf(now: Scalar | undefined): readonly unknown[] {
  if (typeof now === "boolean") return [!now];
  if (typeof now === "number") return now === 0 ? [1] : [now * 2, now / 2];
  return typeof now === "string" ? [`other than ${now}`] : [];
}
