import { launchScript, untoldSettings } from "../../../project/configs/launchScript.ts";
import { lineAt, type ConfigReader } from "./reader.ts";

/** verl's and TRL's examples start with shell scripts: Hydra overrides, or flags. */
export const launch: ConfigReader = {
  isNamed: (path) => /\.(sh|bash)$/.test(path),
  read(_, text) {
    const values = launchScript.values(text);
    const untold = untoldSettings(text);
    if (values.length + untold.length < 2) return undefined;
    return {
      kind: "launch script",
      settings: new Map(values.map(({ path, value, start }) => [path, { value, line: lineAt(text, start) }])),
      untold: untold.map(({ path, said, start }) => ({ path, said, line: lineAt(text, start) })),
      command: "script",
      isWritten: true,
    };
  },
};
