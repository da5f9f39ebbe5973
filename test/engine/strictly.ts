import assert from "node:assert/strict";
import { contract, type AllServices, type ServiceName } from "../../shared/protocol/services.ts";

/**
 * The answer of a service as JSON carries it, held against the contract. A field that the contract lacks fails as well: parsing
 * would drop it without a word.
 */
export function strictly<N extends ServiceName>(name: N, answer: unknown): AllServices[N]["result"] {
  const sent: unknown = JSON.parse(JSON.stringify(answer));
  const parsed = contract[name].result.parse(sent);
  assert.deepEqual(sent, parsed, `${name} answers something that its schema lacks.`);
  return parsed;
}
