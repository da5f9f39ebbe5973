import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { privateFolder, writeFileAtomic } from "../../base/files.ts";
import type { HostShell } from "../../runner/ssh/hostShell.ts";
import { LocalCopy, sizeOfCopy } from "../../runner/ssh/localCopy.ts";
import { NoRoom } from "../../runner/ssh/room.ts";
import { onlyGrows, type FollowedFolder, type SeenFile } from "./followedFolder.ts";
import { listThere, readThere, type HostFile } from "./hostFolder.ts";

/** A file that is written as a whole is not copied above this size: no such file is evidence. */
const wholeLimitBytes = 1024 ** 3;
/** So much of what is here already is asked for again, to see that it is the same file. */
const overlapBytes = 1024;

const Known = z.record(z.string(), z.object({ id: z.string(), stamp: z.string() }));

/**
 * A folder of a host, copied here as it grows. `files.json` beside the copy says which file each copy is of and up to which
 * state it was copied, so that a restart goes on from there. Nothing is written or left running on the host.
 */
export class HostCopy implements FollowedFolder {
  readonly #shell: HostShell;
  readonly #from: string;
  readonly #to: string;
  readonly #state: string;
  #known: Record<string, z.infer<typeof Known>[string]> | undefined;

  /** `to` is the folder of the copy; it has the name of the folder there, by which a run is called. */
  constructor(shell: HostShell, { from, to }: { readonly from: string; readonly to: string }) {
    this.#shell = shell;
    this.#from = from;
    this.#to = to;
    this.#state = join(dirname(to), "files.json");
  }

  async look(signal: AbortSignal): Promise<readonly SeenFile[]> {
    const files = await listThere(this.#shell, this.#from, signal);
    const known = (this.#known ??= await readKnown(this.#state));
    let changed = false;
    const seen: SeenFile[] = [];
    try {
      for (const file of files) {
        if (signal.aborted) throw new HarnessError("cancelled", `Stopped following ${this.#from}.`);
        const before = known[file.path];
        const path = join(this.#to, ...file.path.split("/"));
        if (before?.stamp !== file.stamp) {
          if (!onlyGrows(basename(path)) && file.size > wholeLimitBytes) continue;
          const isHere = await this.#bring(file, path, before?.id).catch(inTheWay);
          changed = true;
          // What was replaced while it was copied is copied at the next look.
          known[file.path] = { id: file.id, stamp: isHere ? file.stamp : "" };
          if (!isHere) continue;
        }
        seen.push({ path, stamp: file.stamp, quietFor: file.quietFor });
      }
    } catch (e) {
      if (!(e instanceof NoRoom)) throw e;
      throw new HarnessError("diskFull", e.message, { cause: e });
    } finally {
      if (changed) await writeFileAtomic(this.#state, JSON.stringify(known), { mode: 0o600 });
    }
    return seen;
  }

  close(): void {
    this.#shell.close();
  }

  /** Whether the copy is as the file was when it was listed. */
  async #bring(file: HostFile, path: string, knownId: string | undefined): Promise<boolean> {
    await privateFolder(this.#to);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    if (onlyGrows(basename(path))) {
      const isSame = knownId === file.id && (await this.#isSame(file, path));
      if (!isSame) await rm(path, { force: true });
      return this.#append(file, path);
    }
    const part = `${path}.part`;
    await rm(part, { force: true });
    if (!(await this.#append(file, part))) return false;
    await rename(part, path);
    return true;
  }

  /** Whether the end of the copy is what the file has there. */
  async #isSame(file: HostFile, path: string): Promise<boolean> {
    const size = await sizeOfCopy(path);
    if (size > file.size) return false;
    if (size === 0) return true;
    const bytes = Math.min(size, overlapBytes);
    const there = await readThere(this.#shell, this.#from, file, { from: size - bytes, bytes });
    const here = await open(path, "r");
    try {
      const { buffer, bytesRead } = await here.read(Buffer.alloc(bytes), 0, bytes, size - bytes);
      return there.equals(buffer.subarray(0, bytesRead));
    } finally {
      await here.close();
    }
  }

  async #append(file: HostFile, path: string): Promise<boolean> {
    const copy = await LocalCopy.open(path);
    try {
      while (copy.size < file.size) {
        const bytes = await readThere(this.#shell, this.#from, file, {
          from: copy.size,
          bytes: file.size - copy.size,
        });
        if (bytes.length === 0) return false;
        await copy.append([bytes]);
      }
      return true;
    } finally {
      await copy.close();
    }
  }
}

/** A file of the host has the name of a folder that was copied before, or the other way round. */
function inTheWay(e: unknown): false {
  if (["EEXIST", "EISDIR", "ENOTDIR", "ENOTEMPTY"].includes(codeOf(e) ?? "")) return false;
  throw e;
}

async function readKnown(path: string): Promise<Record<string, z.infer<typeof Known>[string]>> {
  try {
    return Known.parse(JSON.parse(await readFile(path, "utf8")));
  } catch (e) {
    // Without it every file is compared with its copy again, which takes longer and comes to the same.
    if (codeOf(e) === undefined || codeOf(e) === "ENOENT") return {};
    throw e;
  }
}
