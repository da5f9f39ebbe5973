import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ProjectPath, Scalar } from "../../../../shared/spec/common.ts";
import { derivedSignals } from "../../../../shared/spec/reward.ts";
import { paramNames } from "../../../../shared/spec/diagnostic.ts";
import { shippedDiagnostics } from "../../project/library.ts";
import { factorsHere, isFrozen, valueSurfaces } from "../../project/surfaces.ts";
import { versionVariables } from "../../predicate/variables.ts";
import { stringify } from "yaml";
import { count, counted, percent } from "../../../../shared/words/numbers.ts";
import { spread } from "../archive/shown.ts";
import { parseText, type Path } from "../syntax/parseSpec.ts";
import { scalarPaths, valueAtPath } from "../syntax/valuePath.ts";
import type { Completion, CompletionContext } from "./item.ts";
import { otherValues } from "./otherValues.ts";

/** A name that may stand somewhere, and what is known of it. */
export type Offer = Pick<Completion, "label" | "kind" | "detail" | "documentation"> & {
  readonly text?: string;
  readonly snippet?: boolean;
  readonly plain?: string;
};
type Source = (context: CompletionContext, path: Path, written: string) => readonly Offer[];

const offer = (kind: Completion["kind"], label: string, detail = "", documentation?: string): Offer => ({
  kind,
  label,
  detail,
  documentation,
});

/** Labels of the project's diagnostics and of those that come with EvoTrainer, with their rate in the archive. */
export const labels: Source = ({ symbols, project }) => {
  const facts = project?.facts?.labels ?? {};
  const rate = (name: string, origin: string): string => {
    const found = facts[name];
    return found && found.of > 0
      ? `${percent(found.rollouts / found.of)} of ${count(found.of)}, ${origin}`
      : origin;
  };
  const own = symbols?.defined("label") ?? [];
  const known = new Set(own);
  return [
    ...own.map((name) => offer("label", name, rate(name, "of this project"))),
    ...shippedDiagnostics()
      .filter(({ spec }) => !known.has(spec.name))
      .map(({ spec }) => offer("label", spec.name, rate(spec.name, "of the library"), spec.description)),
  ];
};

const measures: Source = (context, path, written) => [
  offer("metric", "solve_rate", "the score"),
  ...versionVariables
    .filter(({ type }) => type === "double")
    .map(({ name, doc }) => offer("metric", name, "of the version", doc)),
  ...trainerMetrics(context, path, written),
  ...labels(context, path, written).map((label) => ({
    ...label,
    detail: `rate of the label: ${label.detail}`,
  })),
];

export const trainerMetrics: Source = ({ project }) =>
  Object.entries(project?.facts?.metrics ?? {}).map(([name, found]) =>
    offer("metric", name, `${counted(found.count, "value")}: ${spread(found)}`),
  );

export const components: Source = ({ project, symbols }) => {
  const facts = project?.facts?.components ?? {};
  const known = (symbols?.known("component") ?? []).filter((name) => !Object.hasOwn(facts, name));
  return [
    ...Object.entries(facts).map(([name, found]) =>
      offer("field", name, `in ${percent(found.present)}, awarded in ${percent(found.awarded)}`),
    ),
    ...known.map((name) => offer("field", name, "named in a spec")),
  ];
};

const signals: Source = (context, path, written) => [
  ...components(context, path, written),
  ...derivedSignals.map((name) => offer("field", name, "derived from the rollout")),
];

const mostEntries = 500;
const skipped = new Set([".git", ".evotrainer", "node_modules"]);

/** Files and folders beside what is written so far; nothing outside of the project is looked at. */
function entries({ root }: CompletionContext, written: string, foldersOnly: boolean): Offer[] {
  const folder = written.slice(0, written.lastIndexOf("/") + 1);
  if (root === undefined || (folder !== "" && !ProjectPath.safeParse(folder).success)) return [];
  try {
    return readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => !skipped.has(entry.name))
      .filter((entry) => entry.isDirectory() || (!foldersOnly && entry.isFile()))
      .slice(0, mostEntries)
      .map((entry) =>
        entry.isDirectory()
          ? offer("folder", `${folder}${entry.name}${foldersOnly ? "" : "/"}`)
          : offer("file", `${folder}${entry.name}`),
      );
  } catch {
    return [];
  }
}

const files: Source = (context, _, written) => entries(context, written, false);
const folders: Source = (context, _, written) => entries(context, written, true);

const surfacesOf = ({ project }: CompletionContext) => (project?.spec ? valueSurfaces(project.spec) : []);

const surfaceFiles: Source = (context, path, written) => {
  const surfaces = surfacesOf(context);
  const found = [...new Set(surfaces.map(({ file }) => file))];
  if (found.length === 0) return files(context, path, written);
  return found.map((file) => {
    const factors = new Set(surfaces.filter((s) => s.file === file).map(({ factor }) => factor));
    return offer("file", file, [...factors].join(", "));
  });
};

/** The value of a key beside the one that is written. */
export function sibling(context: CompletionContext, path: Path, key: string): string | undefined {
  let value: unknown = parseText(context.spec.text).value;
  for (const step of [...path.slice(0, -1), key]) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return typeof value === "string" ? value : undefined;
}

function pathsIn(context: CompletionContext, file: string | undefined, edits: boolean): Offer[] {
  const target = file === undefined ? undefined : context.project?.read(file);
  if (file === undefined || !target) return [];
  const spec = context.project?.spec;
  return scalarPaths(target.value)
    .filter(
      (path) =>
        !edits || !spec || (factorsHere(spec, { file, path }).length > 0 && !isFrozen(spec, { file, path })),
    )
    .map((path) => {
      const factors = spec ? factorsHere(spec, { file, path }).join(", ") : "";
      const value = stringify(valueAtPath(target.value, path).value).trim();
      return offer("path", path, factors === "" ? value : `${value} (${factors})`);
    });
}

const editPaths: Source = (context, path) => pathsIn(context, sibling(context, path, "file"), true);

const current: Source = (context, path) => {
  const [file, at] = [sibling(context, path, "file"), sibling(context, path, "path")];
  const target = file === undefined ? undefined : context.project?.read(file);
  const found = target && at !== undefined ? valueAtPath(target.value, at) : undefined;
  const scalar = Scalar.safeParse(found?.value).data;
  return found?.found === true && scalar !== undefined
    ? [offer("value", stringify(scalar).trim(), "the current value")]
    : [];
};

const replacements: Source = (context, path) => {
  const [file, at] = [sibling(context, path, "file"), sibling(context, path, "path")];
  if (file === undefined || at === undefined || !context.project) return [];
  return otherValues(context.project, file, at).map((one) => offer("value", one, `for ${at}`));
};

const changes: Source = (context) => {
  const edited = new Set(surfacesOf(context).map(({ file }) => file));
  return [...edited].flatMap((file) => pathsIn(context, file, true));
};

/** Mappings as well as values: a surface is often all that is below a key. */
const surfacePaths: Source = (context, path) => {
  const values = pathsIn(context, sibling(context, path.slice(0, -1), "file"), false);
  const above = values.flatMap(({ label }) => {
    const steps = label.split(".");
    return steps.slice(1).map((_, i) => steps.slice(0, i + 1).join("."));
  });
  return [...[...new Set(above)].map((label) => offer("path", label, "everything below it")), ...values];
};

const shipped: Source = () =>
  shippedDiagnostics().map(({ spec }) => offer("label", spec.name, "of the library", spec.description));

const shippedParams: Source = (_, path) => {
  const found = shippedDiagnostics().find(({ spec }) => spec.name === path.at(-1));
  return found
    ? paramNames(found.spec).map((name) => offer("key", name, String(found.spec.params[name] ?? "")))
    : [];
};

const domain: Source = ({ project }) =>
  project?.spec ? [offer("value", project.spec.domain, "the domain of this project")] : [];

const rollouts: Source = ({ project }) =>
  Object.entries(project?.facts?.labels ?? {}).flatMap(([label, { last }]) =>
    (last?.rollouts ?? []).map((rollout) => offer("value", rollout, `carries ${label}`)),
  );

const versions: Source = ({ project }) =>
  [...(project?.facts?.versions ?? [])]
    .reverse()
    .map(({ name, rollouts: n, passRate }) =>
      offer(
        "version",
        name,
        `${counted(n, "rollout")}${passRate === null ? "" : `, ${percent(passRate)} solved`}`,
      ),
    );

const interventions: Source = ({ symbols }) =>
  (symbols?.defined("intervention") ?? []).map((name) => offer("value", name, "intervention"));

type Table = Readonly<Partial<Record<string, readonly (readonly [pattern: string, source: Source])[]>>>;

/** Values by their place; `*` is any key or index. */
const valueSources: Table = {
  intervention: [
    ["targets.*", labels],
    ["predicts.*.*", labels],
    ["hypothesis.metric", measures],
    ["hypothesis.change", changes],
    ["success.metric", measures],
    ["guardrails.*.metric", measures],
    ["edit.*.file", surfaceFiles],
    ["edit.*.path", editPaths],
    ["edit.*.from", current],
    ["edit.*.to", replacements],
  ],
  project: [
    ["library.use.*", shipped],
    ["surfaces.*.file", files],
    ["surfaces.*.files.*", files],
    ["surfaces.*.schema", files],
    ["frozen.*.file", files],
    ["surfaces.*.paths.*", surfacePaths],
    ["frozen.*.paths.*", surfacePaths],
    ["evaluation.splits.*", files],
    ["evaluation.files.*", files],
    ["diagnostics.*", folders],
    ["interventions.*", folders],
    ["skills.*", folders],
    ["reward", files],
    ["trainer.config", files],
  ],
  diagnostic: [
    ["domains.*", domain],
    ["examples.*.rollout", rollouts],
  ],
  reward: [["components.*.signal", signals]],
  skill: [
    ["when.targets.*", labels],
    ["intervention", interventions],
    ["edit.*.file", surfaceFiles],
    ["edit.*.path", editPaths],
    ["edit.*.from", current],
    ["edit.*.to", replacements],
    ["expects.metric", measures],
    ["guardrails.*.metric", measures],
    ["validations.*.version", versions],
    ["validations.*.against", versions],
    ["validations.*.metric", measures],
    ["domains.*", domain],
  ],
};

/** Keys of mappings whose keys are names, by the place of the mapping. */
const keySources: Table = {
  project: [
    ["library.params", shipped],
    ["library.params.*", shippedParams],
    ["library.domains.*", shipped],
    ["library.domains.*.*", shippedParams],
  ],
  diagnostic: [
    ["examples.*.version.rates", labels],
    ["examples.*.version.parentRates", labels],
    ["examples.*.version.metrics", trainerMetrics],
    ["examples.*.rollout.components", components],
    ["domainParams", domain],
  ],
  reward: [["components", components]],
};

const fits = (pattern: string, path: Path): boolean => {
  const steps = pattern.split(".");
  return steps.length === path.length && steps.every((step, i) => step === "*" || step === String(path[i]));
};

const from = (table: Table, context: CompletionContext, path: Path, written: string): readonly Offer[] =>
  (table[context.spec.kind] ?? []).find(([pattern]) => fits(pattern, path))?.[1](context, path, written) ??
  [];

/** Names that a value may be. */
export const valueNames = (context: CompletionContext, path: Path, written: string): readonly Offer[] =>
  from(valueSources, context, path, written);

/** Names that a key of a mapping may be. */
export const keyNames = (context: CompletionContext, path: Path): readonly Offer[] =>
  from(keySources, context, path, "");
