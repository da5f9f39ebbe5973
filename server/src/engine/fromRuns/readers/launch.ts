import { launchScript, launchWords, untoldSettings } from "../../../project/configs/launchScript.ts";
import { lineAt, type ConfigReader } from "./reader.ts";

/** verl's and TRL's examples start with shell scripts: Hydra overrides, or flags. */
export const launch: ConfigReader = {
  isNamed: (path) => /\.(sh|bash)$/.test(path),
  read(_, text) {
    const values = launchScript.values(text);
    const untold = untoldSettings(text);
    // One setting is little to go by, unless the command reads a file with the rest, as in `rl @ rl.toml --output-dir out`.
    const least = launchWords(text).some((word) => /\.(toml|ya?ml)$/.test(word)) ? 1 : 2;
    if (values.length + untold.length < least) return undefined;
    return {
      kind: "launch script",
      settings: new Map(values.map(({ path, value, start }) => [path, { value, line: lineAt(text, start) }])),
      untold: untold.map(({ path, said, start }) => ({ path, said, line: lineAt(text, start) })),
      command: "script",
      isWritten: true,
    };
  },
};
