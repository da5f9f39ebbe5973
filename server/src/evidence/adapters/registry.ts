import { HarnessError } from "../../base/errors.ts";
import type { Adapter, ForeignFile } from "./adapter.ts";
import { areal } from "./areal.ts";
import { nemoGym } from "./nemoGym.ts";
import { nemoRl } from "./nemoRl.ts";
import { rllm } from "./rllm.ts";
import { roll } from "./roll.ts";
import { skyrl } from "./skyrl.ts";
import { tinkerRewardhack } from "./tinkerRewardhack.ts";
import { trl } from "./trl.ts";
import { verifiers } from "./verifiers.ts";
import { verifiersV1 } from "./verifiersV1.ts";
import { verl } from "./verl.ts";

/** Every format that is known, in the order of the documentation. No two claim one file, so that the order is free. */
export const adapters: readonly Adapter[] = [
  verl,
  verifiers,
  verifiersV1,
  nemoGym,
  nemoRl,
  skyrl,
  areal,
  rllm,
  tinkerRewardhack,
  trl,
  roll,
];

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
