import type { Turn } from "../../../../shared/model/rollout.ts";
import { RE2JS } from "re2js";

/**
 * What a call of a tool does, read from the tool's name and from the command that it is given. The first kind that fits
 * counts. Agents differ in how they name things; a project whose tools are called otherwise names them in its own labels.
 */
const kinds: readonly { readonly name: string; readonly tool?: string; readonly command?: string }[] = [
  { name: "search", command: String.raw`^view\b` },
  // Functions that OpenHands gives its agent in Python; what they write may well name a test runner.
  {
    name: "edit",
    command: String.raw`(^|\n)\s*(edit_file(_by_\w+)?|insert_content_at_line|append_file|create_file)\(`,
  },
  {
    name: "test",
    tool: String.raw`(?i)^(run_?)?(unit_?)?tests?$|pytest`,
    command: String.raw`\b(pytest|py\.test|unittest|nosetests|tox|nox|ctest|jest|vitest|mocha|rspec|phpunit)\b|manage\.py test|runtests|\b(npm|yarn|pnpm|bun|go|cargo|mvn|gradle|make|bazel|dotnet|mix|swift)( +(-[\w-]+(=\S+)?( +[\w@./*-]+)?|workspaces? +\S+|run))* +(test|check)\b`,
  },
  {
    name: "edit",
    tool: "(?i)edit|str_?replace|write|create|insert|patch|append",
    command: String.raw`^(str_replace|create|insert|undo_edit|edit)\b|\bsed (-[A-Za-z]+ )*-i|\bapply_patch\b|\bgit apply\b|\bpatch -p|cat (<<.*)?>|\btee [^|]|\bopen\([^()\n]*, *(mode *= *)?["'][wax][bt+]*["']|\.write_text\(`,
  },
  {
    name: "search",
    tool: "(?i)search|find|grep|glob|open|read|view|list|browse|^(ls|cat|goto|scroll_down|scroll_up)$",
    command: String.raw`^(cd [^&;]+(&&|;) *)?(grep|egrep|rg|ag|find|ls|cat|head|tail|less|tree|fd|sed -n|git (grep|log|show|diff|status|blame))\b`,
  },
  {
    name: "terminal",
    tool: "(?i)bash|shell|terminal|exec|command|python|ipython|run|cmd|console",
  },
];

/** Names of a call's argument that holds a command, and of the one that holds a file. */
export const commandKeys = ["command", "cmd", "code", "keystrokes"] as const;
export const fileKeys = ["path", "file_path", "file", "filename", "target_file"] as const;
/** Names of the argument that holds what is written into it. */
export const writtenKeys = [
  "content",
  "file_text",
  "new_str",
  "new_string",
  "text",
  "replacement",
  "patch",
] as const;

const compiled = kinds.map(({ name, tool, command }) => ({
  name,
  tool: tool === undefined ? undefined : RE2JS.compile(tool),
  command: command === undefined ? undefined : RE2JS.compile(command),
}));

export const actionNames: readonly string[] = ["search", "test", "edit", "terminal", "other"];

/** The kind of a turn's call; null for a turn that calls nothing. */
export function actionOf(turn: Turn): string | null {
  const { tool } = turn;
  if (turn.role !== "assistant" || tool === undefined) return null;
  const command = commandOf(turn) ?? "";
  for (const kind of compiled)
    if (kind.tool?.matcher(tool).find() === true || kind.command?.matcher(command).find() === true)
      return kind.name;
  return "other";
}

/** The file that a turn edits, null when it edits none or does not say which. */
function editedFile(turn: Turn): string | null {
  return actionOf(turn) === "edit" ? firstArgument(turn, fileKeys) : null;
}

/** The different files that the policy edited, as far as its calls say which. */
export function editedFiles(turns: readonly Turn[]): ReadonlySet<string> {
  return new Set(turns.map(editedFile).filter((file) => file !== null));
}

/** The command, or the code, that a turn's call is given, also as a list of words; null when it is given none. */
export function commandOf(turn: Turn): string | null {
  const given = firstArgument(turn, commandKeys);
  const list = commandKeys
    .map((key) => turn.args?.[key])
    .find((value) => value !== null && value !== undefined);
  return given === null || !Array.isArray(list) ? given : commandInList(given, list);
}

/** A shell that is told to run a text, as the beginning of a JSON list: `["bash","-lc",`. */
const shell = String.raw`^\["([^"]*/)?(ba|z|k|da)?sh", *"-[a-z]*c", *"`;
const shellBefore = RE2JS.compile(shell);

/** A list is a shell with what it runs, or the command and its arguments. `json` is the list as it is written. */
function commandInList(json: string, list: readonly unknown[]): string {
  const words = list.flatMap((word) =>
    word === null ? [] : [typeof word === "string" ? word : JSON.stringify(word)],
  );
  return shellBefore.matcher(json).find() ? (words[2] ?? "") : words.join(" ");
}

/** Lists are rare, and telling them from texts is dear: only where one may stand, the argument is looked at twice. */
export function commandSql(alias: string): string {
  const found = commandKeys.map((key) => {
    const path = `'$."${key}"'`;
    const text = `json_extract_string(${alias}.args, ${path})`;
    const words = `CASE WHEN regexp_matches(${text}, '${shell}') THEN coalesce(json_extract_string(${alias}.args, '$."${key}"[2]'), '')
                        ELSE array_to_string(json_extract_string(${alias}.args, '$."${key}"[*]'), ' ') END`;
    return `CASE json_type(${alias}.args, ${path}) WHEN 'ARRAY' THEN ${words} ELSE ${text} END`;
  });
  return `(CASE WHEN ${namesOneOf(alias, commandKeys)} THEN
             CASE WHEN regexp_matches(${alias}.args, ':\\s*\\[') THEN coalesce(${found.join(", ")})
                  ELSE coalesce(${extracted(alias, commandKeys).join(", ")}) END END)`;
}

/** The kind of the call of a row of the table `turns`, by the SQL of the command that it is given. */
export function actionSql(alias: string, command: string): string {
  return `(CASE WHEN ${alias}.role = 'assistant' AND ${alias}.tool IS NOT NULL THEN ${kindSql(`${alias}.tool`, command)} END)`;
}

/**
 * The kind of a call by the SQL of its tool and of the command that it is given. No pattern matches an empty command, so that one
 * that is missing, of which nothing has to be matched, is the same.
 */
export function kindSql(tool: string, command: string): string {
  const cases = kinds.map((kind) => {
    const either = [
      ...(kind.tool === undefined ? [] : [matches(tool, kind.tool)]),
      ...(kind.command === undefined ? [] : [matches(command, kind.command)]),
    ];
    return `WHEN ${either.join(" OR ")} THEN '${kind.name}'`;
  });
  return `CASE ${cases.join(" ")} ELSE 'other' END`;
}

/** What a turn's call writes into a file; null when it writes nothing. */
export function writtenText(turn: Turn): string | null {
  return firstArgument(turn, writtenKeys);
}

export function writtenSql(alias: string): string {
  return argumentsSql(alias, writtenKeys);
}

/** The file that a turn's call names; null when it names none. */
export function fileOf(turn: Turn): string | null {
  return firstArgument(turn, fileKeys);
}

export function fileSql(alias: string): string {
  return argumentsSql(alias, fileKeys);
}

export const matches = (text: string, pattern: string): string =>
  `regexp_matches(${text}, '${pattern.replaceAll("'", "''")}')`;

/**
 * The first of several arguments that there is. The JSON is parsed only where one of the names stands in its text, or a
 * character that is written by number and could be in one: looking for them costs a tenth of parsing.
 */
function argumentsSql(alias: string, keys: readonly string[]): string {
  return `(CASE WHEN ${namesOneOf(alias, keys)} THEN coalesce(${extracted(alias, keys).join(", ")}) END)`;
}

const extracted = (alias: string, keys: readonly string[]): readonly string[] =>
  keys.map((key) => `json_extract_string(${alias}.args, '$."${key}"')`);

/**
 * Whether one of several names stands in the text of a call's arguments, or a character that could be of one: that is looked
 * for by itself, because an expression that can only begin with a quote skips to the next one.
 */
export const namesOneOf = (alias: string, keys: readonly string[]): string =>
  `(contains(${alias}.args, '\\u') OR regexp_matches(${alias}.args, '"(${keys.join("|")})"'))`;

function firstArgument(turn: Turn, keys: readonly string[]): string | null {
  for (const key of keys) {
    const text = argumentText(turn, key);
    if (text !== null) return text;
  }
  return null;
}

/** A value of a call's arguments as text: a string as it is, anything else as JSON. */
export function argumentText(turn: Turn, key: string): string | null {
  const { args } = turn;
  if (args === undefined || !Object.hasOwn(args, key)) return null;
  const value = args[key];
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
