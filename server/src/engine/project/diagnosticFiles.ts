import type { DiagnosticFile } from "../../../../shared/protocol/results/diagnosticFile.ts";
import { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { counted } from "../../../../shared/words/numbers.ts";
import { HarnessError } from "../../base/errors.ts";
import { listed } from "../../base/similar.ts";
import { expressionKeys, expressionProblems } from "../../diagnosis/label/labelExpressions.ts";
import { inDomain } from "../../project/library.ts";
import type { Loaded } from "../../project/project.ts";
import { lineAt, readSpec, type SpecProblem } from "../../project/readSpec.ts";
import { workTree } from "../../project/source.ts";

type Diagnostic = Loaded<DiagnosticSpec>;

interface Read {
  readonly diagnostics: readonly Diagnostic[];
  readonly problems: readonly SpecProblem[];
}

const ending = ".diagnostic.yaml";

/** The names of the diagnostics that lie in a folder itself. */
export async function diagnosticsIn(folder: string): Promise<string[]> {
  return (await workTree(folder).list(".")).filter((name) => name.endsWith(ending) && name !== ending);
}

/**
 * The diagnostics that lie in a folder without a project. Those that cannot be used are told among the problems; nothing is
 * told of the `named`, which count anyway.
 */
export async function diagnosticsOfFolder(folder: string, named: readonly Diagnostic[] = []): Promise<Read> {
  const names = new Set(named.map(({ spec }) => spec.name));
  const { diagnostics, problems } = readFiles(await filesIn(folder));
  const runs = diagnostics.filter(({ spec: { label } }) => label.when === undefined);
  return {
    diagnostics: diagnostics.filter((one) => !runs.includes(one)),
    problems: [...problems, ...runs.filter(({ spec }) => !names.has(spec.name)).map(mustBeNamed)],
  };
}

/** The diagnostics over rollouts in a folder without a project about which a person can say what is right, whether or not they are used. */
export async function sayableIn(folder: string): Promise<readonly Diagnostic[]> {
  return readFiles(await filesIn(folder)).diagnostics.filter(({ spec }) => spec.over === "rollout");
}

async function filesIn(folder: string): Promise<DiagnosticFile[]> {
  const files: DiagnosticFile[] = [];
  for (const path of await diagnosticsIn(folder))
    files.push({ path, text: (await workTree(folder).read(path)) ?? "" });
  return files;
}

/** A folder of somebody's data is no project that a person decided to work in: nothing in it is run unasked. */
const mustBeNamed = ({ path, text, spec: { label } }: Diagnostic): SpecProblem => ({
  path,
  line: lineAt(text, ["label"]),
  message: `${label.judge === undefined ? "It runs a program" : "It asks a model"}, so outside of a project it is used only when you name it: --with ${path}.`,
});

/** The diagnostics that somebody brings along: they are asked for by name, so none of them is left out. @throws HarnessError specInvalid */
export function diagnosticsGiven(files: readonly DiagnosticFile[]): readonly Diagnostic[] {
  const { diagnostics, problems } = readFiles(files);
  const [first] = problems;
  if (first === undefined) return diagnostics;
  const more = problems.length === 1 ? "" : ` (${counted(problems.length - 1, "more problem")}.)`;
  throw new HarnessError("specInvalid", `${first.path}:${first.line}: ${first.message}${more}`);
}

function readFiles(files: readonly DiagnosticFile[]): Read {
  const found = new Map<string, Diagnostic>();
  const problems: SpecProblem[] = [];
  for (const { path, text } of files) {
    const read = readSpec(path, text, DiagnosticSpec);
    const wrong = read.ok ? uncompiled({ path, text, spec: read.value }) : read.problems;
    problems.push(...wrong.map((p) => ({ ...p, message: `${p.message} Correct this line.` })));
    if (!read.ok || wrong.length > 0) continue;
    const twin = found.get(read.value.name);
    if (twin === undefined) found.set(read.value.name, { path, text, spec: read.value });
    else
      problems.push({
        path,
        line: lineAt(text, ["name"]),
        message: `The name ${read.value.name} is already used by ${twin.path}; rename one of them.`,
      });
  }
  return { diagnostics: [...found.values()], problems };
}

/** The expressions of a diagnostic that do not compile. */
function uncompiled({ path, text, spec }: Diagnostic): SpecProblem[] {
  return expressionKeys.flatMap((key) => {
    const expression = spec.label[key];
    const [first] =
      expression === undefined ? [] : expressionProblems(key, expression, spec.over, spec.params);
    return first === undefined
      ? []
      : [{ path, line: lineAt(text, ["label", key]), message: `label.${key}: ${first.message}` }];
  });
}

export interface Layered {
  readonly diagnostics: readonly Diagnostic[];
  /** What a person may not expect of it, in a sentence each. */
  readonly notes: readonly string[];
}

/** Diagnostics of files, and below them those that none of them replaces by its name. */
export function layered(files: readonly Diagnostic[], below: readonly Diagnostic[], domain: string): Layered {
  const names = new Map(files.map((file) => [file.spec.name, file]));
  const replaced = below.flatMap(({ spec: { name }, path, text }) => {
    const by = names.get(name);
    return by === undefined || by.text === text
      ? []
      : [`${by.path} is used instead of ${path}: both have the name ${name}.`];
  });
  return {
    diagnostics: [
      ...files.map((one) => ({ ...one, spec: inDomain(one.spec, domain) })),
      ...below.filter(({ spec }) => !names.has(spec.name)),
    ],
    notes: [
      ...replaced,
      ...files.flatMap(({ path, spec: { domains } }) =>
        domains === undefined || domains.includes(domain)
          ? []
          : [
              `${path} is not used: it is only for ${listed(domains, "and")}, and this evidence is of ${domain}.`,
            ],
      ),
    ],
  };
}
