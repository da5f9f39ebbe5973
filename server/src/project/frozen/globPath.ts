/** Whether a declared path is a pattern: `*`, `**`, `?`, `[abc]` and `{one,other}` stand for names. */
export const isGlob = (path: string): boolean => /[*?[{]/.test(path);

/** The paths that a pattern stands for, and what lies below them. */
export function globRegExp(pattern: string): RegExp {
  let text = "";
  let depth = 0;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern.charAt(i);
    const end = char === "[" ? pattern.indexOf("]", i + 2) : -1;
    if (pattern.startsWith("**/", i)) {
      text += "(?:[^/]+/)*";
      i += 2;
    } else if (pattern.startsWith("**", i)) {
      text += ".*";
      i += 1;
    } else if (char === "*") text += "[^/]*";
    else if (char === "?") text += "[^/]";
    else if (end > 0) {
      const set = pattern
        .slice(i + 1, end)
        .replace(/^!/, "^")
        .replace(/[\\[\]]/g, "\\$&");
      text += `[${set}]`;
      i = end;
    } else if (char === "{") {
      text += "(?:";
      depth++;
    } else if (char === "}" && depth > 0) {
      text += ")";
      depth--;
    } else if (char === "," && depth > 0) text += "|";
    else text += char.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  }
  return new RegExp(`^${text}${")".repeat(depth)}(?:/.*)?$`, "s");
}
