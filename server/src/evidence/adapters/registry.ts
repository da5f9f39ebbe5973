import { HarnessError } from "../../base/errors.ts";
import type { Adapter, ForeignFile } from "./adapter.ts";
import { atif } from "./atif.ts";
import { harbor } from "./harbor.ts";
import { inspect } from "./inspect.ts";
import { tau2 } from "./tau2.ts";
import { tauBench } from "./tauBench.ts";
import { verl } from "./verl.ts";
import { whoAndWhen } from "./whoAndWhen.ts";

/** Every format that is known, in the order of the documentation. No two claim one file, so that the order is free. */
export const adapters: readonly Adapter[] = [verl, inspect, atif, harbor, tauBench, tau2, whoAndWhen];

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
