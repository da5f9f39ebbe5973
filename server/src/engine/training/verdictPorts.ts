import type { VerdictPorts } from "../../decision/verdictPorts.ts";
import { selectionWear } from "../../decision/testing/selectionWear.ts";
import { readLineage } from "../workspace/workspace.ts";
import { gainOf } from "./gainOf.ts";
import { hypothesisResult } from "./hypothesisResult.ts";
import { reevaluateClean, type CleanEngine } from "./reevaluateClean.ts";
import { subtractionOf } from "./subtractionOf.ts";

/** Wires what deciding asks for to the archive and to the machines that jobs run on. */
export function verdictPorts(engine: CleanEngine): VerdictPorts {
  return {
    hypothesisResult: (request, project) => hypothesisResult(engine, request, project),
    reevaluateClean: (request, project, signal) => reevaluateClean(engine, request, project, signal),
    gain: (request, project, signal) => gainOf(engine, request, project, signal),
    subtraction: (request, project) => subtractionOf(engine, request, project),
    async wear(gain, { spec }) {
      const { versions } = await readLineage(engine.workspace, spec.domain);
      const compared = versions.map(({ decision, origin }) => ({
        comparison: decision?.comparison ?? null,
        isForeign: origin !== undefined,
      }));
      return selectionWear(compared, { gain, margin: spec.testing.margin }).sentence;
    },
  };
}
