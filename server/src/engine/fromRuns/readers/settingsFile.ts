import { configScalars, placedFormat } from "../../../project/configs/configText.ts";
import { knownKey } from "./knownKeys.ts";
import { lineAt, type ConfigReader, type ReadConfig, type ReadSetting } from "./reader.ts";

/** A reader of files with settings in a format, of which at least one must be a trainer's. */
export const settingsFile = (kind: string, ending: RegExp): ConfigReader => ({
  isNamed: (path) => ending.test(path),
  read(path, text): ReadConfig | undefined {
    if (/^apiVersion:\s*evotrainer\//m.test(text)) return undefined;
    const values = configScalars(path, text);
    if (values === undefined || ![...values.keys()].some((key) => knownKey(key).type === "surface"))
      return undefined;
    const places = new Map(
      placedFormat(path)
        ?.values(text)
        .map((one) => [one.path, lineAt(text, one.start)]),
    );
    const lineOf = (key: string): number => places.get(key) ?? lineOfKey(text, key);
    return {
      kind,
      settings: new Map(
        [...values].map(([key, value]): [string, ReadSetting] => [key, { value, line: lineOf(key) }]),
      ),
      untold: [],
      command: undefined,
      isWritten: true,
    };
  },
});

/** The line on which the last step of a path is a key; the first one where there are several. */
function lineOfKey(text: string, path: string): number {
  const last = path.split(".").findLast((step) => !/^\d+$/.test(step)) ?? path;
  // A key may hold any sign, so it is compared and not made an expression.
  const at = text.split("\n").findIndex((line) => {
    const bare = line.replace(/^[\s{,"'-]*/, "");
    return bare.startsWith(last) && /^["']?\s*:/.test(bare.slice(last.length));
  });
  return Math.max(0, at) + 1;
}
