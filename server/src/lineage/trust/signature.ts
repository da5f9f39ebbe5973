import { createHash, createPublicKey, sign, verify, type KeyObject } from "node:crypto";
import type { LedgerEntry, Signature } from "../../../../shared/ledger/ledger.ts";
import { Remembered } from "../../base/remembered.ts";
import type { EngineKey } from "./engineKey.ts";

/** The entry with a signature over all that it says, and over what its version was first proposed as. */
export function signed<T extends LedgerEntry>(entry: T, key: EngineKey, commit: string | null): T {
  const value = sign(null, bytesOf(entry, commit), key.private).toString("base64url");
  return { ...entry, signature: { key: key.public, commit, value } };
}

/** By all that was checked: an evolution asks for the same entries again in each step, and to verify one takes 0.2 ms. */
const verdicts = new Remembered<boolean>(20_000);

/** Whether the key that an entry names has signed exactly this. Says nothing of whether that key is trusted. */
export function isSound(entry: LedgerEntry): boolean {
  const { signature } = entry;
  if (signature === undefined) return false;
  const key = publicKey(signature);
  if (key === undefined) return false;
  const bytes = bytesOf(entry, signature.commit);
  const checked = createHash("sha256").update(`${signature.key}\n${signature.value}\n`).update(bytes);
  return verdicts.of(checked.digest("base64"), () =>
    verify(null, bytes, key, Buffer.from(signature.value, "base64url")),
  );
}

/** The entry without what is about its writing, to tell whether two say the same. */
export function unsigned(entry: LedgerEntry): LedgerEntry {
  const rest = { ...entry };
  delete rest.signature;
  return rest;
}

/** A key in a few characters, as people compare it. */
export const shortKey = (key: string): string => key.slice(0, 10);

const keys = new Map<string, KeyObject>();

function publicKey({ key: x }: Signature): KeyObject | undefined {
  const before = keys.get(x);
  if (before !== undefined) return before;
  try {
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    if (keys.size < 1000) keys.set(x, key);
    return key;
  } catch {
    return undefined;
  }
}

/** What is signed: the entry as it stands in the ledger, with its fields in one order. */
function bytesOf(entry: LedgerEntry, commit: string | null): Buffer {
  const { was, ...said } = unsigned(entry);
  const written = was === undefined ? said : { ...said, ...was };
  return Buffer.from(`evotrainer ledger entry 1\n${commit ?? ""}\n${JSON.stringify(inOrder(written))}`);
}

/** Without a prototype, so that no name means anything else; to go through pairs of names and values took several times as long. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  const from: Readonly<Record<string, unknown>> = { ...value };
  const to: Record<string, unknown> = { __proto__: null };
  for (const name of Object.keys(from).sort()) {
    const of = from[name];
    if (of !== undefined) to[name] = inOrder(of);
  }
  return to;
}
