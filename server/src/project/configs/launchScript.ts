import { ValuePath, type Scalar } from "../../../../shared/spec/common.ts";
import { shellWord } from "../../base/shellWord.ts";
import { shellWords, type ShellToken } from "../../base/shellWords.ts";
import { scalarOf, wordOf, type PlacedFormat, type PlacedValue } from "./placedValue.ts";

/** A simple command of a script: its words, without the assignments before it. */
interface Command {
  readonly words: readonly ShellToken[];
  readonly assignments: readonly ShellToken[];
}

const isAssignment = ({ text }: ShellToken): boolean => /^[A-Za-z_]\w*=/.test(text);
/** Words of the shell itself, whose settings are no trainer's. */
const builtins: ReadonlySet<string> = new Set(
  "export set local readonly declare typeset unset env source . cd echo printf read trap exec alias if then else fi for do done while case esac [ [[ test".split(
    " ",
  ),
);

function commandsOf(tokens: readonly ShellToken[]): Command[] {
  const commands: Command[] = [];
  let words: ShellToken[] = [];
  const close = (): void => {
    const exported = words[0]?.text === "export" ? words.slice(1) : words;
    const first = exported.findIndex((word) => !isAssignment(word));
    const count = first === -1 ? exported.length : first;
    if (words.length > 0)
      commands.push({
        words: words === exported ? exported.slice(count) : [],
        assignments: exported.slice(0, count),
      });
    words = [];
  };
  for (const token of tokens)
    if (token.type === "word") words.push(token);
    else close();
  close();
  return commands;
}

/** What a word sets: `key=value` as Hydra takes it, or `--key value` and `--key=value`. */
interface Setting {
  readonly path: string;
  readonly word: ShellToken;
  /** Where the value begins in the text. */
  readonly start: number;
  readonly said: string;
}

function settingsOf({ words }: Command, text: string): Setting[] {
  const found: Setting[] = [];
  for (const [i, word] of words.entries()) {
    const raw = text.slice(word.start, word.end);
    const [, sign = "", key = ""] = /^(--|\+{1,2}|)([A-Za-z_][\w.-]*)=/.exec(raw) ?? [];
    const next = words[i + 1];
    if (key !== "") {
      const length = sign.length + key.length + 1;
      found.push({ path: key, word, start: word.start + length, said: word.text.slice(length) });
    } else if (/^--[A-Za-z_][\w.-]*$/.test(raw) && next !== undefined && !/^-{1,2}[A-Za-z]/.test(next.text))
      found.push({ path: raw.slice(2), word: next, start: next.start, said: next.text });
  }
  return found.filter(({ path }) => ValuePath.safeParse(path).success);
}

/** The command with the most settings: that which trains. */
function launchOf(text: string): {
  readonly settings: readonly Setting[];
  readonly commands: readonly Command[];
} {
  const commands = commandsOf(shellWords(text));
  let settings: readonly Setting[] = [];
  for (const command of commands) {
    if (builtins.has(command.words[0]?.text ?? "")) continue;
    const own = settingsOf(command, text);
    if (own.length > settings.length) settings = own;
  }
  return { settings, commands };
}

/** The words of the command of a launch script that trains, as far as they are no settings: program, module, script. */
export function launchWords(text: string): string[] {
  const { settings, commands } = launchOf(text);
  const own = new Set(settings.map(({ word }) => word));
  const command = commands.find(({ words }) => words.some((word) => own.has(word)));
  return (
    command?.words.filter((word) => !own.has(word) && !/^--\w/.test(word.text)).map((word) => word.text) ?? []
  );
}

/** Where a variable gets its value, if that is one place and nothing else uses it. */
function assignmentOf(name: string, text: string, commands: readonly Command[]): PlacedValue | undefined {
  const given = commands.flatMap((c) => c.assignments).filter((word) => word.text.startsWith(`${name}=`));
  const uses = [...text.matchAll(new RegExp(`\\$(${name}\\b|\\{${name}\\b)`, "g"))].length;
  const [only, other] = given;
  if (only === undefined || other !== undefined || only.expands || uses !== 1) return undefined;
  const value = scalarOf(only.text.slice(name.length + 1));
  return { path: name, value, start: only.start + name.length + 1, end: only.end };
}

function launchValues(text: string): PlacedValue[] {
  const { settings, commands } = launchOf(text);
  return settings.flatMap(({ path, word, start, said }): PlacedValue[] => {
    if (!word.expands) return [{ path, value: scalarOf(said), start, end: word.end }];
    const [, name] = /^\$\{?([A-Za-z_]\w*)\}?$/.exec(said) ?? [];
    const place = name === undefined ? undefined : assignmentOf(name, text, commands);
    return place === undefined ? [] : [{ ...place, path }];
  });
}

/** Settings of a launch script that the text does not tell, because the shell puts something in. */
export function untoldSettings(
  text: string,
): { readonly path: string; readonly said: string; readonly start: number }[] {
  const told = new Set(launchValues(text).map(({ path }) => path));
  return launchOf(text).settings.filter(({ path }) => !told.has(path));
}

/** A word that the shell takes as it is; whatever else is quoted, so that a value never becomes a command. */
function spell(value: Scalar, old: string): string {
  const bare = old.replace(/^(["'])(.*)\1$/s, "$2");
  if (typeof value !== "string") return wordOf(value, bare);
  return /^[A-Za-z0-9_./:@%+,-]+$/.test(value) ? value : shellWord(value);
}

/** A shell script that starts a trainer: the settings of the command are its values. */
export const launchScript: PlacedFormat = { values: launchValues, spell };
