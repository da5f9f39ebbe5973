import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  type KeyObject,
} from "node:crypto";
import { chmodSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../../base/errors.ts";
import { makeTrustFolder, trustFolder, unusable } from "./userFolder.ts";

/** The key that this user's engines sign with. */
export interface EngineKey {
  readonly private: KeyObject;
  /** The public key (Ed25519) in base64url: what entries name, and what a teammate is told. */
  readonly public: string;
}

const keyFile = (folder: string): string => join(folder, "engine.key");
const known = new Map<string, EngineKey>();

/** The key of this user; it is made when it is first needed. @throws HarnessError badInput where it cannot be kept */
export function engineKey(): EngineKey {
  const there = existingKey();
  if (there !== undefined) return there;
  const folder = makeTrustFolder();
  const path = keyFile(folder);
  const temporary = join(folder, `.${randomBytes(6).toString("hex")}.tmp`);
  try {
    const { privateKey } = generateKeyPairSync("ed25519");
    writeFileSync(temporary, privateKey.export({ type: "pkcs8", format: "pem" }), {
      flag: "wx",
      mode: 0o600,
    });
    // Only the first of several processes makes the key: a link never replaces a file.
    linkSync(temporary, path);
  } catch (e) {
    if (codeOf(e) !== "EEXIST") throw unusable(path, e);
  } finally {
    rmSync(temporary, { force: true });
  }
  const made = existingKey();
  if (made === undefined) throw unusable(path, new Error("it is gone as soon as it is made"));
  return made;
}

/** The key where there is one: who only reads makes none. @throws HarnessError badInput for a file that is no key */
export function existingKey(): EngineKey | undefined {
  const path = keyFile(trustFolder());
  const before = known.get(path);
  if (before !== undefined) return before;
  let text: string;
  try {
    text = readFileSync(path, "utf8");
    // One that others can read proves nothing.
    if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  } catch (e) {
    if (codeOf(e) === "ENOENT" || codeOf(e) === "ENOTDIR") return undefined;
    throw unusable(path, e);
  }
  try {
    const key = createPrivateKey(text);
    const made = { private: key, public: createPublicKey(key).export({ format: "jwk" }).x ?? "" };
    if (key.asymmetricKeyType !== "ed25519") throw new Error("it is not an Ed25519 key");
    known.set(path, made);
    return made;
  } catch (e) {
    throw unusable(path, e);
  }
}
