import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { Signature } from "../../../../shared/ledger/ledger.ts";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { writeFileAtomic } from "../../base/files.ts";
import { existingKey } from "./engineKey.ts";
import { shortKey } from "./signature.ts";
import { makeTrustFolder, trustFolder, unusable } from "./userFolder.ts";

/** Keys whose entries count: this user's own, and those of teammates that the user has named. */
export interface TrustedKeys {
  /** The same for the same keys. */
  readonly id: string;
  has(key: string): boolean;
}

/** A key of somebody else that this user trusts. */
const TrustedKey = z.object({ key: Signature.shape.key, name: z.string().min(1).max(100) });
export type TrustedKey = z.infer<typeof TrustedKey>;
const TrustFile = z.object({ keys: z.array(TrustedKey) });

const trustFile = (folder: string): string => join(folder, "trusted.json");

let last: { readonly at: string; readonly keys: readonly TrustedKey[] } | undefined;

/** The keys of others that this user trusts. @throws HarnessError badInput for a file that holds something else */
export function trustedByName(): readonly TrustedKey[] {
  const path = trustFile(trustFolder());
  try {
    const { mtimeMs, size } = statSync(path);
    const at = `${path}\0${mtimeMs}\0${size}`;
    if (last?.at !== at) last = { at, keys: TrustFile.parse(JSON.parse(readFileSync(path, "utf8"))).keys };
    return last.keys;
  } catch (e) {
    if (codeOf(e) === "ENOENT" || codeOf(e) === "ENOTDIR") return [];
    throw unusable(path, e);
  }
}

/** All keys whose entries count here. */
export function trustedKeys(): TrustedKeys {
  return keysOf([
    ...(existingKey() === undefined ? [] : [existingKey()?.public ?? ""]),
    ...trustedByName().map((t) => t.key),
  ]);
}

/** These keys, for who names them. */
function keysOf(keys: readonly string[]): TrustedKeys {
  const all = new Set(keys);
  return { id: [...all].sort().join(" "), has: (key) => all.has(key) };
}

/** Trusts a teammate's key from now on. @throws HarnessError badInput for a text that is no key */
export async function trustKey(given: TrustedKey): Promise<void> {
  const parsed = TrustedKey.safeParse(given);
  if (!parsed.success)
    throw new HarnessError(
      "badInput",
      `"${given.key}" is not a key; it has 43 characters, and \`evotrainer trust\` prints it where your teammate works.`,
    );
  const others = trustedByName().filter(({ key }) => key !== given.key);
  const namesake = others.find(({ name }) => name === parsed.data.name);
  if (namesake !== undefined)
    throw new HarnessError(
      "badInput",
      `You already trust another key as "${namesake.name}" (${shortKey(namesake.key)}); give this one another name, or stop trusting that one with \`evotrainer trust ${shortKey(namesake.key)} --remove\`.`,
    );
  await write([...others, parsed.data]);
}

/** Trusts a key no longer, named by itself, its first characters or its owner's name. @throws HarnessError notFound */
export async function distrustKey(named: string): Promise<TrustedKey> {
  const keys = trustedByName();
  const found = keys.find(({ key, name }) => key === named || name === named || shortKey(key) === named);
  if (found === undefined)
    throw new HarnessError(
      "notFound",
      `You trust no key "${named}"; \`evotrainer trust\` lists those you trust.`,
    );
  await write(keys.filter((one) => one !== found));
  return found;
}

async function write(keys: readonly TrustedKey[]): Promise<void> {
  const path = trustFile(makeTrustFolder());
  await writeFileAtomic(path, `${JSON.stringify({ keys }, null, 2)}\n`, { mode: 0o600 });
  last = undefined;
}
