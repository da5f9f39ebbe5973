import { HarnessError } from "../../base/errors.ts";
import type { Adapter, ForeignFile } from "./adapter.ts";
import { areal } from "./areal.ts";
import { atif } from "./atif.ts";
import { csvMetrics } from "./csvMetrics.ts";
import { dgm } from "./dgm.ts";
import { flatMetrics, verlMetrics } from "./metricLines.ts";
import { harbor } from "./harbor.ts";
import { inspect } from "./inspect.ts";
import { miniSweAgent } from "./miniSweAgent.ts";
import { nemoGym } from "./nemoGym.ts";
import { nemoRl } from "./nemoRl.ts";
import { openHands } from "./openHands.ts";
import { openHandsConversation } from "./openHandsConversation.ts";
import { rllm } from "./rllm.ts";
import { roll } from "./roll.ts";
import { skyrl } from "./skyrl.ts";
import { sweAgent } from "./sweAgent.ts";
import { tau2 } from "./tau2.ts";
import { tauBench } from "./tauBench.ts";
import { tensorBoard } from "./tensorBoard.ts";
import { terminalBench } from "./terminalBench.ts";
import { tinkerRewardhack } from "./tinkerRewardhack.ts";
import { trainerState } from "./trainerState.ts";
import { trl } from "./trl.ts";
import { verifiers } from "./verifiers.ts";
import { verifiersV1 } from "./verifiersV1.ts";
import { verl } from "./verl.ts";
import { whoAndWhen } from "./whoAndWhen.ts";

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
