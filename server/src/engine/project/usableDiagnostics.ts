import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { HarnessError } from "../../base/errors.ts";
import { conditionOf, isFor } from "../../changes/condition.ts";
import { compileGroup } from "../../diagnosis/groups.ts";
import { projectOrBare } from "./bareProject.ts";

export interface UsableDiagnostics {
  readonly domain: string;
  /** Those for the project's domain that compile, the most severe first. */
  readonly diagnostics: readonly DiagnosticSpec[];
  /** Those over groups that compile. */
  readonly overGroups: readonly DiagnosticSpec[];
  /** One sentence for each that was left out. */
  readonly problems: readonly string[];
}

/** The diagnostics of the work tree as far as they can be used. @throws HarnessError projectInvalid */
export async function usableDiagnostics(root: string): Promise<UsableDiagnostics> {
  const project = await projectOrBare(root);
  const problems = project.problems.map((p) => `${p.path}:${p.line}: ${p.message}`);
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
  const specs = project.diagnostics.map((d) => d.spec);
  const overGroups = specs
    .filter((spec) => spec.over === "group" && (spec.domains?.includes(project.domain) ?? true))
    .filter((spec) => compiles(() => compileGroup(spec)));
  const diagnostics = specs
    .filter((spec) => isFor(spec, project.domain))
    .filter((spec) => compiles(() => conditionOf(spec)))
    .sort(
      (a, b) =>
        severities.indexOf(a.label.severity) - severities.indexOf(b.label.severity) ||
        (a.name < b.name ? -1 : 1),
    );
  return { domain: project.domain, diagnostics, overGroups, problems };
}
