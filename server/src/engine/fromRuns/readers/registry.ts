import { hydra } from "./hydra.ts";
import { launch } from "./launch.ts";
import type { ConfigReader, ReadConfig } from "./reader.ts";
import { settingsFile } from "./settingsFile.ts";

/** Every kind of file that says how a run was started, the most certain first. */
const readers: readonly ConfigReader[] = [
  hydra,
  launch,
  // prime-rl and verifiers.
  settingsFile("TOML settings", /\.toml$/),
  // TRL's and ROLL's.
  settingsFile("YAML settings", /\.ya?ml$/),
  // The arguments of TRL and transformers as a run saves them.
  settingsFile("JSON settings", /(args|arguments|config|settings)\.json$/),
];

export const isConfigName = (path: string): boolean => readers.some(({ isNamed }) => isNamed(path));

/** What a file says about how a run was started; undefined where no reader knows it. */
export function readConfig(path: string, text: string): ReadConfig | undefined {
  for (const reader of readers) {
    const found = reader.isNamed(path) ? reader.read(path, text) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
