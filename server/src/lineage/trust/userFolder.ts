import { chmodSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { codeOf, HarnessError, messageOf } from "../../base/errors.ts";

/**
 * Where the engine keeps its key, the keys that its user trusts, and what it last saw of ledgers: EVOTRAINER_KEYS, or a
 * folder of the user's own. It lies outside every project, and jobs are not told of it.
 */
export function trustFolder(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const named = env["EVOTRAINER_KEYS"] ?? "";
  if (named !== "") return named;
  return join(configurations(env, platform), "evotrainer", "keys");
}

/** Where programs keep what belongs to their user, outside every project. */
export function configurations(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const given = env["XDG_CONFIG_HOME"] ?? "";
  if (given !== "") return given;
  if (platform === "darwin") return join(homedir(), "Library", "Application Support");
  const roaming = env["APPDATA"] ?? "";
  if (platform === "win32" && roaming !== "") return roaming;
  return join(homedir(), ".config");
}

/** Makes the folder, which nobody else may look into. @throws HarnessError badInput where that is not possible */
export function makeTrustFolder(): string {
  const folder = trustFolder();
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
  } catch (e) {
    throw unusable(folder, e);
  }
  return folder;
}

/** Why the folder cannot be used, and what to do. */
export function unusable(path: string, e: unknown): HarnessError {
  const why = codeOf(e) ?? messageOf(e);
  return new HarnessError(
    "badInput",
    `EvoTrainer cannot use ${path}, where it keeps the key that it signs with (${why}); make it yours to read and write, or name another folder in EVOTRAINER_KEYS.`,
    { cause: e },
  );
}
