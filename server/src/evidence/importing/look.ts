import { codeOf, HarnessError, messageOf } from "../../base/errors.ts";
import { unreadable } from "../../reading/walkFolder.ts";
import type { Adapter, Companion, ForeignFile } from "../adapters/parts/adapter.ts";
import { detectFormats } from "../adapters/registry.ts";
import { isFields } from "../adapters/parts/untrusted.ts";
import { foreignFile } from "./foreignFile.ts";
import { whyUnknown } from "./unknownFormat.ts";

export interface LookOptions {
  /** Reads every file as the evidence contract, whatever it looks like. */
  readonly contract?: boolean | undefined;
  /** Reads every file in this format, whatever it looks like. */
  readonly as?: Adapter | undefined;
  /** Formats that mapping files describe: they go before the formats that are built in. */
  readonly mapped?: readonly Adapter[] | undefined;
}

/** Whether the file holds rollouts of the evidence contract. */
async function isContract(file: ForeignFile): Promise<boolean> {
  const first = await file.firstRecord();
  return (
    isFields(first) &&
    ["id", "run", "split", "item", "group", "outcome", "turns"].every((name) => name in first)
  );
}

export type Look =
  | { readonly type: "contract" }
  | ({
      readonly type: "foreign";
      readonly file: ForeignFile;
      readonly companions: readonly Companion[];
    } & Choice)
  | { readonly type: "refused"; readonly reason: string };

export interface Choice {
  readonly adapter: Adapter | undefined;
  /** Why there is none. */
  readonly reason: string;
}

/** What a file is. One that cannot be opened, or is gone by now, costs that file only. */
export async function lookAt(path: string, options: LookOptions): Promise<Look> {
  try {
    const file = await foreignFile(path);
    if (options.contract ?? (options.as === undefined && (await isContract(file))))
      return { type: "contract" };
    const choice = await choose(file, options);
    const companions = (await choice.adapter?.companions?.(file)) ?? [];
    return { type: "foreign", file, ...choice, companions };
  } catch (e) {
    const reason = HarnessError.is(e) ? e.message : unreadable(e, "file");
    if (reason === undefined) throw e;
    return { type: "refused", reason };
  }
}

async function choose(file: ForeignFile, { as, mapped }: LookOptions): Promise<Choice> {
  if (as !== undefined) return { adapter: as, reason: "" };
  for (const adapter of mapped ?? []) if (await adapter.detect(file)) return { adapter, reason: "" };
  if (file.size === 0) return { adapter: undefined, reason: "the file is empty" };
  try {
    const claims = await detectFormats(file);
    const [only, another] = claims;
    if (only === undefined) return { adapter: undefined, reason: await whyUnknown(file) };
    if (another === undefined) return { adapter: only, reason: "" };
    return {
      adapter: undefined,
      reason: `it could be ${claims.map((c) => c.name).join(" or ")}; say which with --as`,
    };
  } catch (e) {
    if (codeOf(e) !== undefined) throw e;
    return { adapter: undefined, reason: messageOf(e) };
  }
}
