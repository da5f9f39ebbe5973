import { HarnessError } from "../../base/errors.ts";
import type { Adapter, ForeignFile } from "./parts/adapter.ts";
import { areal } from "./trainers/areal.ts";
import { atif } from "./agents/atif.ts";
import { csvMetrics } from "./metrics/csvMetrics.ts";
import { dgm } from "./agents/dgm.ts";
import { flatMetrics, verlMetrics } from "./metrics/metricLines.ts";
import { harbor } from "./agents/harbor.ts";
import { inspect } from "./evaluations/inspect.ts";
import { miniSweAgent } from "./agents/miniSweAgent.ts";
import { nemoGym } from "./trainers/nemoGym.ts";
import { nemoRl } from "./trainers/nemoRl.ts";
import { openHands } from "./agents/openHands.ts";
import { openHandsConversation } from "./agents/openHandsConversation.ts";
import { rllm } from "./trainers/rllm.ts";
import { roll } from "./trainers/roll.ts";
import { skyrl } from "./trainers/skyrl.ts";
import { sweAgent } from "./agents/sweAgent.ts";
import { tau2 } from "./agents/tau2.ts";
import { tauBench } from "./agents/tauBench.ts";
import { tensorBoard } from "./metrics/tensorBoard.ts";
import { terminalBench } from "./agents/terminalBench.ts";
import { tinkerRewardhack } from "./trainers/tinkerRewardhack.ts";
import { trainerState } from "./metrics/trainerState.ts";
import { trl } from "./trainers/trl.ts";
import { verifiers } from "./trainers/verifiers.ts";
import { verifiersV1 } from "./trainers/verifiersV1.ts";
import { verl } from "./trainers/verl.ts";
import { whoAndWhen } from "./agents/whoAndWhen.ts";

/** Every format that is known, in the order of the documentation. No two claim one file, so that the order is free. */
export const adapters: readonly Adapter[] = [
  verl,
  trl,
  verifiers,
  verifiersV1,
  nemoGym,
  nemoRl,
  skyrl,
  areal,
  rllm,
  roll,
  tinkerRewardhack,
  sweAgent,
  miniSweAgent,
  openHands,
  openHandsConversation,
  dgm,
  terminalBench,
  inspect,
  atif,
  harbor,
  tauBench,
  tau2,
  whoAndWhen,
  verlMetrics,
  flatMetrics,
  trainerState,
  tensorBoard,
  csvMetrics,
];

/** Whether `--as` takes the name for rollouts or metrics. */
export const isFormat = (name: string): boolean => adapters.some((adapter) => adapter.name === name);

/** @throws HarnessError badInput */
export function adapterNamed(name: string): Adapter {
  const found = adapters.find((adapter) => adapter.name === name);
  if (found !== undefined) return found;
  throw new HarnessError(
    "badInput",
    `There is no format ${name}; there are: ${adapters.map((adapter) => adapter.name).join(", ")}.`,
  );
}

/** The formats that claim the file: none for one that is no evidence, several when it could be more than one. */
export async function detectFormats(file: ForeignFile): Promise<Adapter[]> {
  const claims: Adapter[] = [];
  for (const adapter of adapters) if (await adapter.detect(file)) claims.push(adapter);
  return claims;
}
