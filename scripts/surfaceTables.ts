import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command, type Option } from "commander";
import { z } from "zod";
import { verbs } from "../server/src/commands/verbs.ts";
import type { VerbContext } from "../server/src/commands/terminal/verb.ts";
import type { Generated } from "./diagnosticTables.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

/** What only a verb that runs would use. */
const unused = (): never => {
  throw new Error("The tables run no verb.");
};
const context: VerbContext = {
  io: unused,
  cwd: "",
  examples: "",
  serveEditor: unused,
  exitWith: unused,
};

const hidden = new Set(["-h, --help"]);
const isShown = (option: Option): boolean => !option.hidden && !hidden.has(option.flags);

/** An option as a row: its words, what it does, what it may be, and what it is without. */
function optionRow(option: Option): string {
  const { flags, description, argChoices } = option;
  const defaultValue: unknown = option.defaultValue;
  const choices =
    argChoices === undefined ? "" : ` One of ${argChoices.map((word) => `\`${word}\``).join(", ")}.`;
  const shown = shownDefault(defaultValue);
  const without = shown === undefined ? "" : ` By default \`${option.defaultValueDescription ?? shown}\`.`;
  return `| \`${cell(flags)}\` | ${cell(`${sentence(description)}${choices}${without}`)} |`;
}

/** A default in words; that a switch is off and a list empty goes without saying. */
const shownDefault = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" || value === true ? String(value) : undefined;

/** With a capital and a full stop. */
const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? "" : "."}`;

/** A command and those below it, by how they are called. */
function sections(command: Command, before: string): string[] {
  const called = `${before} ${command.name()}`;
  const words = command.registeredArguments.map((argument) =>
    argument.required
      ? `<${argument.name()}${argument.variadic ? "..." : ""}>`
      : `[${argument.name()}${argument.variadic ? "..." : ""}]`,
  );
  const inner = command.commands.filter((found) => found.name() !== "help");
  const options = command.options.filter(isShown);
  return [
    `${before === "evotrainer" ? "###" : "####"} ${called}`,
    "",
    ...(inner.length > 0 ? [] : [`\`${[called, ...words].join(" ")}\``, ""]),
    sentence(command.description()),
    "",
    ...(options.length === 0
      ? []
      : ["| option | what it does |", "|---|---|", ...options.map(optionRow), ""]),
    ...inner.flatMap((found) => sections(found, called)),
  ];
}

async function wholeProgram(): Promise<Command> {
  const program = new Command("evotrainer");
  for (const load of Object.values(verbs)) (await load())(program, context);
  return program;
}

/** Every verb with its options, from the code that reads them. */
const verbRows = async (): Promise<string[]> =>
  (await wholeProgram()).commands.flatMap((verb) => sections(verb, "evotrainer"));

/** The verbs with what each does, as a file of code: completion reads it instead of loading them all. */
export async function verbWordsText(): Promise<string> {
  const words = (await wholeProgram()).commands.map((verb) => [verb.name(), verb.description()] as const);
  return `// Written by scripts/schemas.ts from the verbs: npm run schemas.
/** What each verb does, in the order in which the help lists them. */
export const verbWords: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(words))};
`;
}

const Setting = z.looseObject({
  type: z.string(),
  scope: z.string(),
  default: z.unknown(),
  description: z.string().optional(),
  markdownDescription: z.string().optional(),
  enum: z.array(z.string()).optional(),
  enumDescriptions: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
});
type Setting = z.infer<typeof Setting>;
const When = z.looseObject({ command: z.string(), when: z.string().optional() });
const Manifest = z.looseObject({
  contributes: z.looseObject({
    configuration: z.looseObject({ properties: z.record(z.string(), Setting) }),
    commands: z.array(z.looseObject({ command: z.string(), title: z.string(), category: z.string() })),
    keybindings: z.array(z.looseObject({ command: z.string(), key: z.string(), mac: z.string().optional() })),
    menus: z.looseObject({ commandPalette: z.array(When) }),
  }),
});
const contributes = () =>
  Manifest.parse(JSON.parse(readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8")))
    .contributes;

const scopes: Readonly<Record<string, string>> = {
  window: "user and workspace settings",
  machine: "user settings only",
  "machine-overridable": "user settings of each machine, and workspace settings",
  application: "user settings only",
  resource: "user, workspace and folder settings",
};

function valuesOf({ type, enum: words, enumDescriptions, minimum, maximum }: Setting): string {
  if (words !== undefined)
    return words
      .map((word, i) => {
        const meaning = enumDescriptions?.[i];
        return `\`${word}\`${meaning === undefined ? "" : ` (${meaning.replace(/\.$/, "")})`}`;
      })
      .join(", ");
  const limits = minimum === undefined || maximum === undefined ? "" : ` from ${minimum} to ${maximum}`;
  return `${type}${limits}`;
}

function settingRows(): string[] {
  return [
    "| setting | what it does | values | by default | where it is read |",
    "|---|---|---|---|---|",
    ...Object.entries(contributes().configuration.properties).map(([name, setting]) => {
      const meaning = setting.markdownDescription ?? setting.description ?? "";
      const where = scopes[setting.scope] ?? setting.scope;
      const cells = [meaning, valuesOf(setting), `\`${JSON.stringify(setting.default)}\``, where];
      return `| \`${name}\` | ${cells.map(cell).join(" | ")} |`;
    }),
  ];
}

/** The commands that the palette offers, with their keys. */
function commandRows(): string[] {
  const { commands, keybindings, menus } = contributes();
  const isOffered = (name: string): boolean =>
    !menus.commandPalette.some(({ command, when }) => command === name && when === "false");
  return [
    "| command | keys | on a Mac |",
    "|---|---|---|",
    ...commands
      .filter(({ command }) => isOffered(command))
      .map(({ command, title, category }) => {
        const keys = keybindings.filter((binding) => binding.command === command);
        const shown = (of: readonly (string | undefined)[]): string =>
          of.flatMap((key) => (key === undefined ? [] : [`\`${key}\``])).join(", ");
        return `| _${category}: ${cell(title)}_ | ${shown(keys.map(({ key }) => key))} | ${shown(keys.map(({ mac, key }) => mac ?? key))} |`;
      }),
  ];
}

/** What a person can type or set: the verbs of the command line, and the settings and commands of the editor. */
export const surfaceTables: readonly Generated[] = [
  { file: "command-line.md", mark: "verbs", rows: verbRows },
  { file: "settings.md", mark: "settings", rows: settingRows },
  { file: "settings.md", mark: "commands", rows: commandRows },
];
