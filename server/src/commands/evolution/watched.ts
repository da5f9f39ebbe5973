import { join } from "node:path";
import { inLine } from "../../base/plainText.ts";
import { evolve, type EvolveOptions } from "../../engine/running/evolve.ts";
import type { LoopState } from "../../loop/state.ts";
import { goOn } from "../terminal/goOn.ts";
import { interruptible } from "../terminal/interruptible.ts";
import type { Io } from "../terminal/io.ts";
import { askInTerminal } from "../terminal/terminalPrompts.ts";
import type { Progress } from "./progress.ts";

/** Runs the evolution of a project in this terminal, which shows what it does and can interrupt it. */
export async function watched(
  io: Io,
  progress: Progress,
  { verb, ...options }: Omit<EvolveOptions, "emit" | "signal"> & { readonly verb: "evolve" | "calibrate" },
): Promise<LoopState> {
  const { workspace } = options;
  askInTerminal();
  io.err(
    `Project ${inLine(workspace.root)}\nArchive, runs and state in ${inLine(join(workspace.root, ".evotrainer"))}; versions on the branches evo/…, the ledger on evotrainer/ledger.\n`,
  );
  try {
    const emit = (event: Parameters<EvolveOptions["emit"]>[0]): void => progress.show(event);
    // The first interrupt stops between two steps and leaves the jobs running; they are found again.
    return await interruptible(goOn[verb], (signal) => evolve({ ...options, emit, signal }));
  } finally {
    progress.end();
  }
}
