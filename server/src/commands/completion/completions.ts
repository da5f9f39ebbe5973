import type { Command, Option } from "commander";
import { annotationWords } from "../versions/annotationWords.ts";

/** Something that can stand next on the command line; the description may be empty. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}

export const nameKinds = ["versions", "labels", "jobs"] as const;
/** Names that only the project knows. */
export type NameKind = (typeof nameKinds)[number];

export interface Completions {
  readonly candidates: readonly Candidate[];
  /** Names of the project can stand there too. */
  readonly names?: NameKind;
}

/** Which names an argument or the value of an option takes, by what the help calls it. */
export const namesFor: Readonly<Record<string, NameKind>> = {
  version: "versions",
  versions: "versions",
  a: "versions",
  b: "versions",
  what: "versions",
  label: "labels",
  diagnostic: "labels",
  spec: "labels",
  job: "jobs",
};

/** Words that an argument takes beside names. Commander's own choices would refuse the names. */
export const wordsFor: Readonly<Record<string, readonly string[]>> = {
  what: ["accept", ...Object.keys(annotationWords)],
  answer: ["approve", "revise", "reject", "try"],
  "yes-or-no": ["yes", "no"],
  exam: ["exam"],
};

/** Only such a name stands for itself in every shell, and nobody can hide a command in it. */
const harmless = /^[\w.@%+,/-]+$/;

/** What can stand in the place of the last word, from what commander knows of the verbs. */
export function completionsFor(program: Command, words: readonly string[]): Completions {
  const typed = words.at(-1) ?? "";
  const place = placeAfter(program, words.slice(0, -1));
  const assigned = /^(--[\w-]+)=/.exec(typed);
  if (assigned !== null) {
    const [before = "", name = ""] = assigned;
    const { candidates } = valuesOf(optionOf(place.commands, name));
    return { candidates: candidates.map((one) => ({ ...one, value: before + one.value })) };
  }
  if (place.value !== undefined && !typed.startsWith("-")) return valuesOf(place.value);
  if (typed.startsWith("-") && !place.onlyArguments) return { candidates: optionsOf(place.commands) };
  return argumentsAt(place);
}

/** Those that the typed word can become, and that mean themselves in a shell. */
export const fitting = (candidates: readonly Candidate[], typed: string): Candidate[] =>
  candidates.filter(({ value }) => value.startsWith(typed) && harmless.test(value.replace("=", "")));

interface Place {
  /** The innermost that was typed. */
  readonly at: Command;
  /** The program, the verb and its own verb: their options are valid here. */
  readonly commands: readonly Command[];
  /** How many arguments the innermost has. */
  readonly given: number;
  /** The option whose value comes next. */
  readonly value?: Option;
  readonly onlyArguments: boolean;
}

function placeAfter(program: Command, words: readonly string[]): Place {
  let at = program;
  let [given, onlyArguments] = [0, false];
  let value: Option | undefined;
  for (const word of words) {
    const isValue = value !== undefined;
    value = undefined;
    if (isValue && (onlyArguments || !word.startsWith("-"))) continue;
    const child = given === 0 ? childOf(at, word) : undefined;
    if (!onlyArguments && word === "--") onlyArguments = true;
    else if (!onlyArguments && word.startsWith("-")) value = valued(optionOf(commandsAt(at), word));
    else if (child === undefined) given++;
    else at = child;
  }
  return { at, commands: commandsAt(at), given, onlyArguments, ...(value === undefined ? {} : { value }) };
}

/** A verb, those that it is part of, and the one whose work it does without a verb of its own: `rollouts` lists. */
function commandsAt(at: Command): readonly Command[] {
  const outer: Command[] = [];
  for (let command: Command | null = at; command !== null; command = command.parent) outer.unshift(command);
  const byDefault = defaultOf(at);
  return byDefault === undefined ? outer : [...outer, byDefault];
}

const childOf = (command: Command, word: string): Command | undefined =>
  command.commands.find((child) => child.name() === word);

/** Commander keeps which one it is to itself. */
function defaultOf(command: Command): Command | undefined {
  const name: unknown = Reflect.get(command, "_defaultCommandName");
  return typeof name === "string" ? childOf(command, name) : undefined;
}

const optionOf = (commands: readonly Command[], word: string): Option | undefined =>
  commands.flatMap(({ options }) => options).find(({ long, short }) => long === word || short === word);

const valued = (option: Option | undefined): Option | undefined =>
  option !== undefined && (option.required || option.optional) ? option : undefined;

function valuesOf(option: Option | undefined): Completions {
  if (option === undefined) return { candidates: [] };
  if (option.argChoices !== undefined) return { candidates: bare(option.argChoices) };
  return named(placeholderOf(option));
}

/** What the help calls the value of an option. */
export const placeholderOf = ({ flags }: Option): string => /[<[]([\w-]+)/.exec(flags)?.[1] ?? "";

function optionsOf(commands: readonly Command[]): Candidate[] {
  const shown = commands.flatMap((command) => command.createHelp().visibleOptions(command));
  const found = new Map(
    shown.flatMap(({ long, description }) => (long == null ? [] : [[long, description] as const])),
  );
  return [...found].map(([value, description]) => ({ value, description }));
}

function argumentsAt({ at, commands, given }: Place): Completions {
  const verbs = given > 0 || at.commands.length === 0 ? [] : at.createHelp().visibleCommands(at);
  const candidates = verbs.map((verb) => ({ value: verb.name(), description: verb.description() }));
  const { registeredArguments } = commands.at(-1) ?? { registeredArguments: [] };
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[given] ?? (last?.variadic === true ? last : undefined);
  if (argument === undefined) return { candidates };
  if (argument.argChoices !== undefined) return { candidates: [...candidates, ...bare(argument.argChoices)] };
  const own = named(argument.name());
  return { ...own, candidates: [...candidates, ...own.candidates] };
}

const named = (name: string): Completions => ({
  candidates: bare(Object.hasOwn(wordsFor, name) ? (wordsFor[name] ?? []) : []),
  ...(Object.hasOwn(namesFor, name) ? { names: namesFor[name] } : {}),
});

const bare = (values: readonly string[]): Candidate[] => values.map((value) => ({ value, description: "" }));
