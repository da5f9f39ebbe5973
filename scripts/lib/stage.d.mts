import type { SpawnSyncOptions } from "node:child_process";

export declare function runStage(
  what: string,
  args: readonly string[],
  options?: SpawnSyncOptions,
): { readonly code: number; readonly said: string } | null;
