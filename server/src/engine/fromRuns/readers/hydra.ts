import { parseYaml } from "../../../base/yaml.ts";
import { configScalars } from "../../../project/configs/configText.ts";
import { scalarOf } from "../../../project/configs/placedValue.ts";
import type { ConfigReader, ReadSetting } from "./reader.ts";

/** What Hydra leaves of a run: the overrides that it was started with, and the whole configuration that came of them. */
export const hydra: ConfigReader = {
  isNamed: (path) => /(^|\/)\.hydra\/(config|overrides)\.yaml$/.test(path),
  read(path, text) {
    const document = parseYaml(text);
    if (document.errors.length > 0) return undefined;
    const kind = path.endsWith("overrides.yaml") ? "Hydra overrides" : "Hydra configuration";
    const value: unknown = document.toJS();
    const settings = Array.isArray(value) ? overridesIn(value, text) : whole(path, text);
    return settings.size === 0
      ? undefined
      : { kind, settings, untold: [], command: undefined, isWritten: false };
  },
};

function overridesIn(list: readonly unknown[], text: string): Map<string, ReadSetting> {
  const lines = text.split("\n");
  const found = new Map<string, ReadSetting>();
  for (const one of list) {
    const [, path, said = ""] = /^\+{0,2}([A-Za-z_][\w.-]*)=(.*)$/s.exec(String(one)) ?? [];
    if (path !== undefined)
      found.set(path, { value: scalarOf(said), line: lines.findIndex((line) => line.includes(path)) + 1 });
  }
  return found;
}

const whole = (path: string, text: string): Map<string, ReadSetting> =>
  new Map([...(configScalars(path, text) ?? [])].map(([key, value]) => [key, { value, line: 1 }]));
