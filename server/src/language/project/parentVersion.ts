import type { ParentVersion } from "../rule/rule.ts";
import { parseText, type ParsedText } from "../syntax/parseSpec.ts";

/** A version by its files; each is parsed once, and only when it is asked for. */
export function parentVersion(name: string, files: ReadonlyMap<string, string>): ParentVersion {
  const parsed = new Map<string, ParsedText>();
  return {
    name,
    text: (path) => files.get(path),
    read: (path) => {
      const text = files.get(path);
      const found = parsed.get(path) ?? (text === undefined ? undefined : parseText(text));
      if (found) parsed.set(path, found);
      return found;
    },
  };
}
