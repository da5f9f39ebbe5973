import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { contributionsOf } from "../server/src/assistant/contributions.ts";
import { format, resolveConfig } from "prettier";

/** Writes the tools for language models into package.json: the editor reads them there before anything is started. */
const path = join(import.meta.dirname, "..", "package.json");
const manifest: unknown = JSON.parse(await readFile(path, "utf8"));
if (typeof manifest !== "object" || manifest === null || !("contributes" in manifest))
  throw new Error("package.json has no contributes.");
const { contributes } = manifest;
if (typeof contributes !== "object" || contributes === null)
  throw new Error("package.json has no contributes.");
Object.assign(contributes, { languageModelTools: contributionsOf() });
await writeFile(
  path,
  await format(JSON.stringify(manifest), { ...(await resolveConfig(path)), filepath: path }),
);
