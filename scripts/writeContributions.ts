import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { contributionsOf } from "../server/src/assistant/contributions.ts";
import { formatted } from "./formatted.ts";
import { contributed } from "./contributions.ts";

/**
 * Writes the tools for language models and the commands of views into package.json: the editor reads them there before
 * anything is started.
 */
const path = join(import.meta.dirname, "..", "package.json");
const manifest: unknown = JSON.parse(await readFile(path, "utf8"));
await writeFile(path, await formatted(path, JSON.stringify(contributed(manifest, contributionsOf()))));
