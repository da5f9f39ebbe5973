import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { writeFileAtomic } from "../../base/files.ts";
import { statePath, type Repository } from "../../lineage/repository.ts";

/** What trainer.data names below the project's folder, with a digest of the content of each. */
export async function dataDigests(
  repository: Repository,
  paths: readonly string[],
): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const path of paths) {
    const cache = statePath(repository, "evaluation", "data", `${sha256(path).slice(0, 32)}.json`);
    digests[path] = await dataDigest(join(repository.root, path), cache);
  }
  return digests;
}

/** By path: what the file system said of a file, and the digest of its content then. */
const Known = z.record(z.string(), z.object({ stamp: z.string(), digest: z.string() }));
type Known = z.infer<typeof Known>;

/** A file that was changed this recently may change again without another time. */
const restMilliseconds = 2000;

/**
 * A digest of a file, or of a folder with all that is in it. The content of each file is read once: what `cache` says of it
 * holds until its size, its times or its place on the disk are others.
 * @throws HarnessError projectInvalid when it is not there
 */
export async function dataDigest(at: string, cache: string): Promise<string> {
  const known = await readKnown(cache);
  const now: Known = {};
  let isNew = false;
  for (const path of (await filesBelow(at)).sort()) {
    const file = join(at, path);
    const found = await stat(file, { bigint: true });
    const stamp = `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
    const before = known[path];
    const isKnown = before?.stamp === stamp;
    const isAtRest = Date.now() - Number(found.ctimeNs / 1_000_000n) > restMilliseconds;
    isNew ||= !isKnown;
    now[path] = { stamp: isAtRest ? stamp : "", digest: isKnown ? before.digest : await contentDigest(file) };
  }
  if (isNew || Object.keys(known).length !== Object.keys(now).length) {
    await mkdir(dirname(cache), { recursive: true, mode: 0o700 });
    await writeFileAtomic(cache, JSON.stringify(now));
  }
  return sha256(JSON.stringify(Object.entries(now).map(([path, { digest }]) => [path, digest])));
}

async function readKnown(cache: string): Promise<Known> {
  try {
    const read = Known.safeParse(JSON.parse(await readFile(cache, "utf8")));
    return read.success ? read.data : {};
  } catch (e) {
    if (codeOf(e) === "ENOENT" || e instanceof SyntaxError) return {};
    throw e;
  }
}

/** The files below a folder, over links as a run would read them; "" for a file itself. */
async function filesBelow(at: string): Promise<string[]> {
  const files: string[] = [];
  const folders: string[] = [""];
  const seen = new Set<string>();
  for (const folder of folders) {
    const here = await stat(join(at, folder)).catch((e: unknown) => {
      // A link in the data that leads nowhere is read by nobody.
      if (codeOf(e) === "ENOENT" && folder !== "") return undefined;
      if (codeOf(e) === "ENOENT")
        throw new HarnessError(
          "projectInvalid",
          `trainer.data names ${at}, which does not exist: put it, or a link to it, there.`,
        );
      throw e;
    });
    if (here?.isFile() === true) files.push(folder);
    else if (here?.isDirectory() === true && !seen.has(`${here.dev} ${here.ino}`)) {
      // A link may lead to a folder above itself.
      seen.add(`${here.dev} ${here.ino}`);
      folders.push(...(await readdir(join(at, folder))).map((name) => join(folder, name)));
    }
  }
  return files;
}

async function contentDigest(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
  return hash.digest("hex");
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
