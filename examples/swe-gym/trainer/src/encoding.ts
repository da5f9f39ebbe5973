import { bucket, claiming, Columns, range, when, type Active } from "../../../gym/src/columns.ts";
import { remember } from "../../../gym/src/remember.ts";
import { toolNames } from "./environment.ts";
import { binaries, comparisons, constants, unaries } from "./language.ts";
import { symptoms, type Candidate, type Line, type Memory, type Term } from "./memory.ts";
import { lineText, type SourceLine } from "./repository.ts";
import { families, familyOf } from "./rewrites.ts";
import { issueWords } from "./symptoms.ts";

const operators: readonly string[] = [...comparisons, ...binaries, ...unaries, ...constants];
const tokenClasses = [...operators, "variable", "text"];

const globals = new Columns([
  "bias",
  ...range("turn", 8),
  ...range("left", 4),
  ...toolNames.map((t) => `last ${t}`),
  ...range("streak", 5),
  ...toolNames.flatMap((t) => range(`${t} `, 4)),
  "failed call",
  ...issueWords.map((w) => `issue ${w}`),
  ...range("files", 6),
  ...range("hit files", 4),
  "terms left",
  "open",
  "open hit",
  "open last hit",
  "open failing",
  "open edited",
  "open pending",
  "pending elsewhere",
  "nothing pending",
  "history seen",
  "failing elsewhere known",
  "failing elsewhere unknown",
  ...range("edits since test ", 3),
  "tested",
  ...range("failures", 4),
  "improved",
  "same",
  "worse",
  "clean",
  ...symptoms.map((s) => `report ${s}`),
]);

const termColumns = new Columns([
  "title",
  "body",
  "report",
  "name",
  "word",
  "searched",
  "failing",
  "home known",
  "first",
  "edited",
]);

const fileColumns = new Columns([
  "current",
  "opened",
  ...range("last hits ", 3),
  ...range("hits ", 3),
  "holds failing",
  "holds title name",
  "edited",
  "pending",
  "patched",
  "only hit",
]);

/** What is claimed of a line beside its tokens. */
const lineClaims = [
  "titled",
  "topic",
  "hit",
  "failing",
  "passing",
  "unreported",
  "owner edited",
  "tried",
  "changed",
  "restored",
  "last edit",
  "pending",
  "patched",
  ...range("at ", 3),
];

const lineColumns = new Columns([
  "let",
  "if",
  "return",
  ...tokenClasses.map((t) => `has ${t}`),
  ...lineClaims,
]);

const rewriteColumns = new Columns([
  ...tokenClasses.map((t) => `from ${t}`),
  ...tokenClasses.map((t) => `to ${t}`),
  ...families.map((f) => `family ${f}`),
  "let",
  "if",
  "return",
  "tried",
  "restores",
  "pending",
  "in comparison",
  "failing",
  ...range("place ", 4),
]);

/** Widths of the encodings, which are also the input widths of the network. */
export const widths = {
  globals: globals.width,
  term: termColumns.width,
  file: fileColumns.width,
  line: lineColumns.width,
  rewrite: rewriteColumns.width,
} as const;

function tokenClass(token: string): string {
  if (operators.includes(token)) return token;
  return token.startsWith('"') ? "text" : "variable";
}

function elsewhere(m: Memory): string[] {
  const away = [...m.failing].filter((name) => m.home.get(name) !== m.current);
  const known = away.some((name) => m.home.has(name));
  const unknown = away.some((name) => !m.home.has(name));
  return [when(known, "failing elsewhere known"), when(unknown, "failing elsewhere unknown")];
}

function historyFeatures(m: Memory): string[] {
  if (m.patches.size === 0) return [];
  const here = m.current === null ? 0 : m.pending(m.current);
  const total = m.fileNames.reduce((sum, name) => sum + m.pending(name), 0);
  return [
    "history seen",
    when(here > 0, "open pending"),
    when(total > here, "pending elsewhere"),
    when(total === 0, "nothing pending"),
  ];
}

function testFeatures(m: Memory): string[] {
  if (!m.tested) return [];
  const before = m.failuresBefore;
  return [
    "tested",
    bucket("failures", m.failures, 3),
    ...(before === null ? [] : [m.failures < before ? "improved" : m.failures > before ? "worse" : "same"]),
    when(m.failures === 0 && m.editsSinceTest === 0, "clean"),
    ...[...m.symptoms].map((s) => `report ${s}`),
  ];
}

/** The state of a rollout as one row. */
export function encodeGlobals(m: Memory, turnLimit: number): Active {
  const open = m.current;
  return globals.encode([
    "bias",
    bucket("turn", m.turns, 7),
    bucket("left", turnLimit - m.turns - 1, 3),
    ...(m.lastTool === null ? [] : [`last ${m.lastTool}`]),
    bucket("streak", m.streak, 4),
    ...toolNames.map((t) => bucket(`${t} `, m.counts[t], 3)),
    when(!m.lastOk, "failed call"),
    ...m.issueWords.map((w) => `issue ${w}`),
    bucket("files", m.fileNames.length, 5),
    bucket("hit files", m.hitFiles.size, 3),
    when(
      m.terms.some((t) => !m.searched.has(t.text)),
      "terms left",
    ),
    ...(open === null
      ? []
      : [
          "open",
          when(m.hitFiles.has(open), "open hit"),
          when(m.lastHits.has(open), "open last hit"),
          when(
            [...m.failing].some((name) => m.home.get(name) === open),
            "open failing",
          ),
          when(m.editedFiles.has(open), "open edited"),
        ]),
    ...elsewhere(m),
    ...historyFeatures(m),
    bucket("edits since test ", m.editsSinceTest, 2),
    ...testFeatures(m),
  ]);
}

export function encodeTerm(m: Memory, term: Term, index: number): Active {
  const isName = term.text.includes("_");
  return termColumns.encode([
    term.from,
    isName ? "name" : "word",
    when(m.searched.has(term.text), "searched"),
    when(m.failing.has(term.text), "failing"),
    when(m.home.has(term.text), "home known"),
    when(index === 0, "first"),
    when(m.editedOwners.has(term.text), "edited"),
  ]);
}

export function encodeFile(m: Memory, name: string): Active {
  const holds = (names: Iterable<string>): boolean => [...names].some((n) => m.home.get(n) === name);
  const patched = [...m.patches.keys()].some((key) => key.startsWith(`${name}\n`));
  const pending = m.pending(name) > 0;
  return fileColumns.encode([
    bucket("last hits ", m.lastHits.get(name) ?? 0, 2),
    bucket("hits ", m.hitFiles.get(name) ?? 0, 2),
    when(m.current === name, "current"),
    when(m.opened.has(name), "opened"),
    when(holds(m.failing), "holds failing"),
    when(holds([m.terms[0]?.text ?? ""]), "holds title name"),
    when(m.editedFiles.has(name), "edited"),
    when(pending, "pending"),
    when(patched && !pending, "patched"),
    when(m.hitFiles.size === 1 && m.hitFiles.has(name), "only hit"),
  ]);
}

const textOf = (line: SourceLine | undefined): string | undefined => line && lineText(line);

interface LineState {
  readonly key: string;
  readonly pending: boolean;
  readonly patched: boolean;
  readonly failing: boolean;
  readonly original: string | undefined;
}

function lineState(m: Memory, { line, index }: Line): LineState {
  const key = `${m.current ?? ""}\n${index}`;
  const text = m.patches.get(key);
  const same = text === lineText(line);
  return {
    key,
    pending: text !== undefined && !same,
    patched: same,
    failing: m.failing.has(line.owner),
    original: textOf(m.originals.get(key)),
  };
}

function isLastEdit({ lastEdit, current }: Memory, index: number): boolean {
  return lastEdit !== null && lastEdit.file === current && lastEdit.line === index;
}

const lineTokens = remember((line: SourceLine) =>
  lineColumns.encode([line.tokens[0] ?? "", ...line.tokens.slice(1).map((t) => `has ${tokenClass(t)}`)]),
);

const lineOf = claiming(lineColumns, lineTokens, lineClaims);

export function encodeLine(m: Memory, candidate: Line, position: number): Active {
  const { line, index } = candidate;
  const subject = m.terms[0]?.text ?? "";
  const state = lineState(m, candidate);
  const text = lineText(line);
  const isPassing = m.passing.has(line.owner);
  return lineOf(line, [
    line.owner === subject,
    line.owner.endsWith(`_${subject}`),
    m.hitOwners.has(line.owner),
    state.failing,
    isPassing,
    m.tested && !state.failing && !isPassing,
    m.editedOwners.has(line.owner),
    m.tried.size > 0 && m.tried.has(`${state.key}\n${text}`),
    state.original !== undefined && state.original !== text,
    state.original === text,
    isLastEdit(m, index),
    state.pending,
    state.patched,
    position === 0,
    position === 1,
    position >= 2,
  ]);
}

const rewriteTokens = remember((c: Candidate) => {
  const colon = c.tokens.indexOf(":");
  return rewriteColumns.encode([
    `from ${tokenClass(c.from)}`,
    `to ${tokenClass(c.to)}`,
    `family ${familyOf(c)}`,
    c.tokens[0] ?? "",
    bucket("place ", Math.max(0, c.tokens.length - 1 - c.at), 3),
    ...(colon > c.at ? ["in comparison"] : []),
  ]);
});

const rewriteOf = claiming(rewriteColumns, rewriteTokens, ["tried", "restores", "pending", "failing"]);

/** The changes that a line may get. */
export function encodeRewrites(m: Memory, line: Line): Active[] {
  const { key, original, failing } = lineState(m, line);
  const patch = m.patches.get(key);
  return line.candidates.map((rewrite) =>
    rewriteOf(rewrite, [
      m.tried.size > 0 && m.tried.has(`${key}\n${rewrite.text}`),
      original === rewrite.text,
      patch === rewrite.text,
      failing,
    ]),
  );
}
