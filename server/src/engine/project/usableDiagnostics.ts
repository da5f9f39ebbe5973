import type { DiagnosticFile } from "../../../../shared/protocol/results/diagnosticFile.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { HarnessError } from "../../base/errors.ts";
import { conditionOf, isFor } from "../../changes/condition.ts";
import { compileGroup } from "../../diagnosis/groups.ts";
import { compileVersion } from "../../diagnosis/compileVersion.ts";
import { knownLineage } from "./knownLineage.ts";
import { withoutTrialPower } from "./trials.ts";
import { projectOrBare } from "./bareProject.ts";

export interface UsableDiagnostics {
  readonly domain: string;
  /** Those for the project's domain that compile, the most severe first. */
  readonly diagnostics: readonly DiagnosticSpec[];
  /** Those over groups that compile. */
  readonly overGroups: readonly DiagnosticSpec[];
  /** Those over versions that compile. */
  readonly overVersions: readonly DiagnosticSpec[];
  /** One sentence for each that was left out. */
  readonly problems: readonly string[];
}

/** The diagnostics of the work tree, and those given, as far as they can be used. @throws HarnessError projectInvalid, specInvalid */
export async function usableDiagnostics(
  root: string,
  given: readonly DiagnosticFile[] = [],
): Promise<UsableDiagnostics> {
  const project = await projectOrBare(root, given);
  const problems = project.problems.map((p) => `${p.path}:${p.line}: ${p.message}`);
  const specs = project.diagnostics.map((d) => d.spec);
  const { diagnostics } = await withoutTrialPower(
    specs,
    await knownLineage(root, project.domain),
    project.domain,
  );
  const usable = usableOf(diagnostics, project.domain);
  return { ...usable, problems: [...problems, ...usable.problems] };
}

/** The same of diagnostics that are at hand. */
export function usableOf(specs: readonly DiagnosticSpec[], domain: string): UsableDiagnostics {
  const problems: string[] = [];
  const severities = ["critical", "warning", "info"];
  const compiles = (compile: () => unknown): boolean => {
    try {
      compile();
      return true;
    } catch (e) {
      if (!HarnessError.is(e, "specInvalid")) throw e;
      problems.push(e.message);
      return false;
    }
  };
  const isOver = (over: DiagnosticSpec["over"]) => (spec: DiagnosticSpec) =>
    spec.over === over && (spec.domains?.includes(domain) ?? true);
  const overGroups = specs.filter(isOver("group")).filter((spec) => compiles(() => compileGroup(spec)));
  const overVersions = specs
    .filter(isOver("version"))
    .filter((spec) => compiles(() => compileVersion(spec, "when")));
  const diagnostics = specs
    .filter((spec) => isFor(spec, domain))
    .filter((spec) => compiles(() => conditionOf(spec)))
    .sort(
      (a, b) =>
        severities.indexOf(a.label.severity) - severities.indexOf(b.label.severity) ||
        (a.name < b.name ? -1 : 1),
    );
  return { domain, diagnostics, overGroups, overVersions, problems };
}
