import type { Backend } from "../matrix.ts";
import { plainBackend } from "./plainBackend.ts";
import { wasmBackend } from "./wasmBackend.ts";

/** The fastest backend that this runtime has. */
export function bestBackend(): Backend {
  return wasmBackend() ?? plainBackend();
}
