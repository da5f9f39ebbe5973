import { metricNames } from "../../../../shared/spec/project.ts";
import { metricRoles } from "../../diagnosis/metricNames.ts";
import { versionVariables } from "../../predicate/variables.ts";
import { usedDiagnostics } from "../../project/library.ts";
import { perProject } from "./perProject.ts";

/** What is measured of every version without a spec: numbers of its evidence, and the score that decides. */
const computedMetrics: readonly string[] = [
  ...metricNames,
  ...versionVariables.filter(({ type }) => type === "int" || type === "double").map(({ name }) => name),
];

/** Labels, alerts and rules that there are: names of the project's diagnostics and of those of the library that it uses. */
export const labelNames = perProject((project): ReadonlySet<string> => {
  const own = project.specs().filter(({ spec, name }) => spec.kind === "diagnostic" && name !== "");
  const library = project.spec ? usedDiagnostics(project.spec.library, project.spec.domain) : [];
  return new Set([...own.map(({ name }) => name), ...library.map(({ spec }) => spec.name)]);
});

/** Labels that have a rate: what is over a version is a finding by itself. */
export const ratedLabels = perProject((project): readonly string[] => {
  const over = new Map<string, unknown>();
  for (const { spec } of project.spec ? usedDiagnostics(project.spec.library, project.spec.domain) : [])
    over.set(spec.name, spec.over);
  for (const { spec, name } of project.specs())
    if (spec.kind === "diagnostic" && typeof spec.value === "object" && spec.value !== null)
      over.set(name, Reflect.get(spec.value, "over"));
  return [...over].filter(([name, subject]) => name !== "" && subject !== "version").map(([name]) => name);
});

/** Every name under which a number of a version can be asked for. */
export const measuredNames = perProject(
  (project): ReadonlySet<string> =>
    new Set([
      ...computedMetrics,
      ...ratedLabels(project),
      ...Object.keys(metricRoles),
      ...Object.keys(project.facts?.metrics ?? {}),
    ]),
);
