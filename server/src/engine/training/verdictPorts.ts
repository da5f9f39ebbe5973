import type { VerdictPorts } from "../../decision/verdictPorts.ts";
import { hypothesisResult } from "./hypothesisResult.ts";
import type { EnginePorts } from "./ports.ts";
import { reevaluateClean } from "./reevaluateClean.ts";

/** Wires what deciding asks for to the archive and to the machines that jobs run on. */
export function verdictPorts(engine: EnginePorts): VerdictPorts {
  return {
    hypothesisResult: (request, project) => hypothesisResult(engine, request, project),
    reevaluateClean: (request, project, signal) => reevaluateClean(engine, request, project, signal),
  };
}
