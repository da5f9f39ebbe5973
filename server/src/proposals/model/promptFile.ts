import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { HarnessError } from "../../base/errors.ts";
import type { FileSource } from "../../project/source.ts";

/** Instructions to a model. Its version is its content: the digest says which one a question was asked with. */
export interface PromptFile {
  readonly path: string;
  readonly text: string;
  readonly sha256: string;
}

const shippedName = "proposer.v1.md";

/** The project's own instructions, or those that come with EvoTrainer. @throws HarnessError notFound */
export async function readPrompt(asked: string | undefined, project: FileSource): Promise<PromptFile> {
  if (asked === undefined)
    return promptOf(`library/prompts/${shippedName}`, await readFile(shippedPath(), "utf8"));
  const text = await project.read(asked);
  if (text === undefined || text.trim() === "")
    throw new HarnessError(
      "notFound",
      `There are no instructions in ${asked}; write the file that \`prompt\` in evotrainer.yaml names, or leave \`prompt\` out.`,
    );
  return promptOf(asked, text);
}

const promptOf = (path: string, text: string): PromptFile => ({
  ...{ path, text },
  sha256: createHash("sha256").update(text).digest("hex"),
});

/** A bundle lies in dist/ beside its copy of the library; sources have it at the root of the repository. */
function shippedPath(): string {
  const here = typeof __dirname === "string" ? __dirname : dirname(fileURLToPath(import.meta.url));
  const bundled = resolve(here, "library", "prompts", shippedName);
  return existsSync(bundled) ? bundled : resolve(here, "../../../..", "library", "prompts", shippedName);
}
