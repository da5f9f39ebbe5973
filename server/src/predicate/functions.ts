import type { FunctionDefinition } from "./functionDefinition.ts";
import { curveFunctions } from "./functionsCurve.ts";
import { versionFunctions } from "./functionsVersion.ts";
import { numberFunctions } from "./functionsNumber.ts";
import { textFunctions } from "./functionsText.ts";
import { toolFunctions } from "./functionsTool.ts";
import type { Scope } from "./types.ts";

export const functionDefinitions: readonly FunctionDefinition[] = [
  ...textFunctions,
  ...numberFunctions,
  ...toolFunctions,
  ...versionFunctions,
  ...curveFunctions,
];

/** The functions that a scope has under a name. */
export function functionsNamed(name: string, scope: Scope, method: boolean): readonly FunctionDefinition[] {
  return functionDefinitions.filter(
    (f) => f.name === name && (f.method === true) === method && (f.scopes?.includes(scope) ?? true),
  );
}

/** A function as it is written in a document: `text.contains(part: string): bool`. */
export function signatureOf({ name, method, parameters, returns }: FunctionDefinition): string {
  const written = parameters.map((p) => `${p.name}: ${p.type}`);
  const [receiver, ...rest] = written;
  return method === true
    ? `${(receiver ?? "").split(":")[0] ?? ""}.${name}(${rest.join(", ")}): ${returns}`
    : `${name}(${written.join(", ")}): ${returns}`;
}
