import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import {
  alertParams,
  DiagnosticSpec,
  paramNames,
  type ParamValues,
} from "../../../shared/spec/diagnostic.ts";
import type { LibraryUse } from "../../../shared/spec/project.ts";
import { didYouMean } from "../base/similar.ts";
import { takePatterns } from "../expression/regex.ts";
import { readSpec } from "./readSpec.ts";

/** A diagnostic that comes with EvoTrainer. */
export interface ShippedDiagnostic {
  /** As it is shown: `library/<name>.diagnostic.yaml`. */
  readonly path: string;
  readonly text: string;
  readonly spec: DiagnosticSpec;
}

let shipped: readonly ShippedDiagnostic[] | undefined;

/** The diagnostics that come with EvoTrainer, by name. They are read once. */
export function shippedDiagnostics(): readonly ShippedDiagnostic[] {
  return (shipped ??= readAll(libraryFolder()));
}

/** A bundle lies in dist/ beside its copy of the library; sources have it at the root of the repository. */
function libraryFolder(): string {
  const here = typeof __dirname === "string" ? __dirname : dirname(fileURLToPath(import.meta.url));
  const [bundled, source] = [".", "../../.."].map((up) => resolve(here, up, "library", "diagnostics"));
  return bundled !== undefined && existsSync(bundled) ? bundled : (source ?? here);
}

/** Where the spec of a shipped diagnostic lies on this machine. */
export function shippedFile({ path }: Pick<ShippedDiagnostic, "path">): string {
  return join(libraryFolder(), basename(path));
}

/** The specs of the files whose text has the digest: the build checked them, and so they are taken as they are. */
const ReadBefore = z.record(
  z.string(),
  z.object({ digest: z.string(), spec: z.custom<DiagnosticSpec>(() => true) }),
);

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** What the build keeps of the library as `diagnostics.json` beside its copy: reading all of it again takes longest at a start. */
export function readLibrary(): string {
  const kept = shippedDiagnostics().map(
    ({ path, text, spec }) => [basename(path), { digest: digestOf(text), spec }] as const,
  );
  return JSON.stringify(Object.fromEntries(kept));
}

function readBefore(folder: string): z.infer<typeof ReadBefore> {
  const file = join(folder, "..", "diagnostics.json");
  return existsSync(file) ? ReadBefore.parse(JSON.parse(readFileSync(file, "utf8"))) : {};
}

/** Takes the patterns of the library that the build had compiled, and kept as `patterns.json` beside its copy. */
function takePatternsOf(folder: string): void {
  const file = join(folder, "..", "patterns.json");
  if (existsSync(file)) takePatterns(z.array(z.string()).parse(JSON.parse(readFileSync(file, "utf8"))));
}

function readAll(folder: string): ShippedDiagnostic[] {
  takePatternsOf(folder);
  const before = readBefore(folder);
  return readdirSync(folder)
    .filter((file) => file.endsWith(".diagnostic.yaml"))
    .sort()
    .map((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      const path = `library/${file}`;
      const known = before[file];
      if (known?.digest === digestOf(text)) return { path, text, spec: known.spec };
      const read = readSpec(path, text, DiagnosticSpec);
      if (!read.ok) throw new Error(`${path}:${read.problems[0].line}: ${read.problems[0].message}`);
      return { path, text, spec: read.value };
    });
}

/** A mistake in a project's `library`, at its path in the spec. */
export interface LibraryProblem {
  readonly path: readonly string[];
  readonly message: string;
  readonly known: readonly string[];
}

/** Names in a project's `library` that nothing shipped has. */
export function libraryProblems({ use, params, domains }: LibraryUse): LibraryProblem[] {
  const byName = new Map(shippedDiagnostics().map(({ spec }) => [spec.name, spec]));
  const names = [...byName.keys()];
  const unknown = (path: readonly string[], name: string): LibraryProblem => ({
    path,
    message: `The library has no diagnostic ${name}.${didYouMean(name, names)}`,
    known: names,
  });
  const inParams = (at: readonly string[], values: LibraryUse["params"]): LibraryProblem[] =>
    Object.entries(values).flatMap(([name, given]) => {
      const spec = byName.get(name);
      if (spec === undefined) return [unknown([...at, name], name)];
      const known = paramNames(spec);
      return Object.keys(given)
        .filter((param) => !known.includes(param))
        .map((param) => ({
          path: [...at, name, param],
          message: `The diagnostic ${name} has no parameter ${param}${known.length === 0 ? ", nor any other" : ""}.${didYouMean(param, known)}`,
          known,
        }));
    });
  return [
    ...(typeof use === "string" ? [] : use)
      .map((name, i) => ({ name, i }))
      .filter(({ name }) => !byName.has(name))
      .map(({ name, i }) => unknown(["library", "use", String(i)], name)),
    ...inParams(["library", "params"], params),
    ...Object.entries(domains).flatMap(([domain, values]) =>
      inParams(["library", "domains", domain], values),
    ),
  ];
}

/** The shipped diagnostics that a project uses, with the thresholds of its domain and its own. */
export function usedDiagnostics(library: LibraryUse, domain: string): ShippedDiagnostic[] {
  const { use, params, domains } = library;
  return shippedDiagnostics()
    .filter(({ spec }) => use === "all" || (use !== "none" && use.includes(spec.name)))
    .map((found) => ({
      ...found,
      spec: inDomain(found.spec, domain, [
        params[found.spec.name] ?? {},
        domains[domain]?.[found.spec.name] ?? {},
      ]),
    }));
}

/** A diagnostic with the thresholds of a domain; later replacements go before earlier ones, unknown names count nothing. */
export function inDomain(
  spec: DiagnosticSpec,
  domain: string,
  replacements: readonly ParamValues[] = [],
): DiagnosticSpec {
  const values: ParamValues = {};
  for (const given of [spec.domainParams[domain] ?? {}, ...replacements]) Object.assign(values, given);
  const params = { ...spec.params };
  for (const name of Object.keys(params)) params[name] = values[name] ?? params[name] ?? 0;
  if (spec.alert === undefined) return { ...spec, params };
  const [above, critical] = alertParams.map((name) => values[name]);
  return {
    ...spec,
    params,
    alert: {
      ...spec.alert,
      ...(above === undefined ? {} : { above }),
      ...(critical === undefined ? {} : { critical }),
    },
  };
}
