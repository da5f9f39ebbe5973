import { compileLabel } from "../diagnosis/compileLabel.ts";
import { findProjectRoot } from "../engine/workspace.ts";
import { loadProject, loadReward } from "../project/project.ts";
import type { SpecProblem } from "../project/readSpec.ts";
import { workTree } from "../project/source.ts";
import { surfaceViolations } from "../project/surfaces.ts";
import { exitCodes, printResult, type Io } from "./io.ts";

/** `evotrainer check`: every spec of the project. Answers with the exit code. */
export async function check(io: Io, cwd: string): Promise<number> {
  const source = workTree(await findProjectRoot(cwd));
  const project = await loadProject(source);
  await loadReward(source, project.spec);
  const problems: SpecProblem[] = [...project.problems];
  for (const { path, spec, text } of project.diagnostics) {
    const compiled = compileLabel(spec);
    if (!compiled.ok)
      problems.push({
        path,
        line: lineOf(text, spec.label[compiled.key] ?? ""),
        message: `label.${compiled.key}: ${compiled.problem.message}`,
      });
  }
  for (const { path, spec } of project.interventions)
    for (const message of surfaceViolations(project.spec, spec)) problems.push({ path, line: 1, message });
  const specs = 1 + project.diagnostics.length + project.interventions.length;
  printResult(io, { specs, problems }, () =>
    problems.length === 0
      ? `${specs} specs, no problem.`
      : problems.map((p) => `${p.path}:${p.line}: ${p.message}`).join("\n"),
  );
  return problems.length === 0 ? exitCodes.success : exitCodes.finding;
}

/** Line, from 1, on which an expression starts; 1 when it is written in a form that cannot be found as it is. */
function lineOf(text: string, expression: string): number {
  const at = text.indexOf(expression.split("\n", 1)[0] ?? expression);
  return at < 0 ? 1 : text.slice(0, at).split("\n").length;
}
