import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { z } from "zod";
import { HarnessError } from "../../base/errors.ts";
import type { Store, StoreOptions } from "./database.ts";
import { evidenceKinds } from "../contract/parse.ts";
import { registerFiles, type SourceKey } from "./registrations.ts";
import { bigintOf, numberOf, stringOf, stringOrNull } from "./rows.ts";

/** A registered file and how far it is in the tables. */
export interface Source extends SourceKey {
  readonly source: bigint;
  readonly consumed: number;
  readonly lines: number;
  readonly fingerprint: string;
}

/** The path that the archive keeps: relative with forward slashes inside the evidence folder, else absolute. */
export function storedPath(options: Pick<StoreOptions, "evidenceRoot">, path: string): string {
  const inside = relative(resolve(options.evidenceRoot), resolve(path));
  return inside === "" || inside.startsWith("..") || isAbsolute(inside)
    ? resolve(path)
    : inside.split(sep).join("/");
}

/** The file that a kept path stands for. */
export function filePath(options: Pick<StoreOptions, "evidenceRoot">, stored: string): string {
  return resolve(options.evidenceRoot, stored);
}

/**
 * Finds the registration of a file, or makes it.
 * @throws HarnessError badInput when the file is registered as something else
 */
export async function registerSource(store: Store, key: SourceKey): Promise<Source> {
  const found = await findSource(store, key.path);
  if (found !== undefined) {
    const differs = (["kind", "run", "version"] as const).find((field) => found[field] !== key[field]);
    if (differs === undefined) return found;
    throw new HarnessError(
      "badInput",
      `${key.path} is already in the archive with ${differs} ${JSON.stringify(found[differs])}, not ${JSON.stringify(key[differs])}; a file belongs to one run and version.`,
    );
  }
  await registerFiles(store.path, [key]);
  return store.write(
    async (connection) => {
      const next = await connection.runAndReadAll(
        "SELECT coalesce(max(source) + 1, 0)::BIGINT AS next FROM sources",
      );
      const source = bigintOf(next.getRowObjectsJS()[0] ?? {}, "next");
      const fingerprint = emptyFingerprint;
      await connection.run("INSERT INTO sources VALUES (?, ?, ?, ?, ?, 0, 0, ?, NULL, FALSE)", [
        source,
        key.path,
        key.run,
        key.version,
        key.kind,
        fingerprint,
      ]);
      return { ...key, source, consumed: 0, lines: 0, fingerprint };
    },
    [key.version],
  );
}

/** The registration of a file; undefined when it has none. */
export async function findSource(store: Store, path: string): Promise<Source | undefined> {
  const rows = await store.query({ sql: "SELECT * FROM sources WHERE path = ?", params: [path] });
  const row = rows[0];
  if (row === undefined) return undefined;
  const kind = z.enum(evidenceKinds).parse(row["kind"]);
  return {
    source: bigintOf(row, "source"),
    path,
    kind,
    run: stringOrNull(row, "run"),
    version: stringOf(row, "version"),
    consumed: numberOf(row, "consumed"),
    lines: numberOf(row, "lines"),
    fingerprint: stringOf(row, "fingerprint"),
  };
}

const fingerprintBytes = 4096;
/** Of a file of which nothing was consumed. */
export const emptyFingerprint = createHash("sha256").digest("hex");

/** Hash of the first and the last bytes of what was consumed: it changes when the file was replaced or edited there. */
export async function fingerprintOf(file: FileHandle, consumed: number): Promise<string> {
  const hash = createHash("sha256");
  const parts = [0, Math.max(0, consumed - fingerprintBytes)].map((from) => {
    const length = Math.min(fingerprintBytes, consumed - from);
    return file.read(Buffer.alloc(length), 0, length, from);
  });
  for (const { bytesRead, buffer } of await Promise.all(parts)) hash.update(buffer.subarray(0, bytesRead));
  return hash.digest("hex");
}

/** The same for a file whose consumed bytes are all at hand. */
export const fingerprintOfBytes = (bytes: Buffer): string =>
  createHash("sha256")
    .update(bytes.subarray(0, fingerprintBytes))
    .update(bytes.subarray(Math.max(0, bytes.length - fingerprintBytes)))
    .digest("hex");

/** How a file is no longer the one that was consumed; undefined while it is. */
export async function changeSince(
  file: FileHandle,
  { consumed, fingerprint }: Pick<Source, "consumed" | "fingerprint">,
): Promise<"truncated" | "replaced" | undefined> {
  const { size } = await file.stat();
  if (size < consumed) return "truncated";
  return consumed > 0 && (await fingerprintOf(file, consumed)) !== fingerprint ? "replaced" : undefined;
}

/** @throws HarnessError badInput when the file is no longer the one that was consumed */
export async function assertUnchanged(file: FileHandle, source: Source, path: string): Promise<void> {
  const change = await changeSince(file, source);
  const advice = "evidence files only grow: write a new file, or rebuild the archive";
  if (change === "truncated")
    throw new HarnessError(
      "badInput",
      `${path} was truncated: it has ${(await file.stat()).size} bytes, but ${source.consumed} are already in the archive; ${advice}.`,
    );
  if (change === "replaced")
    throw new HarnessError(
      "badInput",
      `${path} was replaced: its first ${source.consumed} bytes are not those in the archive; ${advice}.`,
    );
}
