/** One thing that a page tells its reader to do. */
export type PageStep =
  | { readonly type: "file"; readonly line: number; readonly path: string; readonly text: string }
  | {
      readonly type: "command";
      readonly line: number;
      readonly command: string;
      /** The lines that the page shows below the command; null if the page shows no output. */
      readonly shown: readonly string[] | null;
    };

/** A block of code with the line before it that is not empty; `line` counts from 1. */
interface Block {
  readonly language: string;
  readonly before: string;
  readonly line: number;
  readonly lines: readonly string[];
}

function* blocksOf(text: string): Generator<Block> {
  let before = "";
  let open: { readonly fence: string; readonly language: string; readonly line: number } | undefined;
  let lines: string[] = [];
  for (const [i, line] of text.split("\n").entries())
    if (open !== undefined)
      if (line.trim() === open.fence) {
        yield { language: open.language, before, line: open.line, lines };
        open = undefined;
        before = "";
      } else lines.push(line);
    else {
      const [, fence, language = ""] = /^(`{3,})(\w*)/.exec(line) ?? [];
      if (fence !== undefined) {
        open = { fence, language, line: i + 1 };
        lines = [];
      } else if (line.trim() !== "" && line.trim() !== "<!-- oxfmt-ignore -->") before = line.trim();
    }
}

/** A block of the language console: each line with `$ ` begins a command, and the lines below are what it prints. */
function commandsOf({ line, lines }: Block): PageStep[] {
  const steps: { type: "command"; line: number; command: string; shown: string[] }[] = [];
  for (const [i, text] of lines.entries())
    if (text.startsWith("$ "))
      steps.push({ type: "command", line: line + 1 + i, command: text.slice(2), shown: [] });
    else {
      const last = steps.at(-1);
      if (last === undefined)
        throw new Error(`Line ${line}: a block of the language console begins with "$ " and a command.`);
      last.shown.push(text);
    }
  return steps;
}

/**
 * What a Markdown page tells its reader to do, in order:
 * - a block below a line that ends with a path in backquotes and a colon is the content of that file;
 * - a block of the language `console` holds commands with all that they print;
 * - each line of a block of the language `sh` is a command whose output the page does not show.
 * A block below `<!-- not tried: why -->` is for the reader only, and so are blocks of all other languages.
 */
export function stepsOf(page: string): readonly PageStep[] {
  return [...blocksOf(page)].flatMap((block): PageStep[] => {
    if (block.before.startsWith("<!-- not tried: ")) return [];
    if (block.language === "console") return commandsOf(block);
    const path = /`([^`\s]+)`:$/.exec(block.before)?.[1];
    if (path !== undefined)
      return [{ type: "file", line: block.line, path, text: `${block.lines.join("\n")}\n` }];
    if (block.language !== "sh") return [];
    return block.lines.flatMap((text, i) => {
      const command = text.replace(/\s+# .*$/, "");
      return command === "" || command.startsWith("#")
        ? []
        : [{ type: "command" as const, line: block.line + 1 + i, command, shown: null }];
    });
  });
}

/** Whether a line was shown rightly: `…` stands for any text in it. */
function isLine(printed: string, shown: string): boolean {
  const parts = shown
    .trimEnd()
    .split("…")
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "u").test(printed.trimEnd());
}

/**
 * Whether a page shows what a command printed. Spaces at the end of a line do not count; `…` stands for any text within a line,
 * and on a line alone for any number of lines.
 */
export function isShown(printed: readonly string[], shown: readonly string[]): boolean {
  const [first, ...rest] = shown;
  if (first === undefined) return printed.every((line) => line.trim() === "");
  if (first.trim() === "…")
    return Array.from({ length: printed.length + 1 }, (_, i) => i).some((i) =>
      isShown(printed.slice(i), rest),
    );
  const [line, ...others] = printed;
  if (line === undefined) return shown.every((left) => left.trim() === "" || left.trim() === "…");
  return isLine(line, first) && isShown(others, rest);
}
