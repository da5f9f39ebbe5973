import { interventionWith, sampleProject } from "../support/language/sampleProject.ts";
type Random = () => number;

const head = "apiVersion: evotrainer/v1\n";
const diagnostic = (name: string, more = "") =>
  `${head}kind: Diagnostic\nname: ${name}\nlabel:\n  when: outcome == "fail" && reward < 0.5\n  severity: info\n${more}`;

/** The files of the project that is edited; some are right, some are not. */
export const fuzzProject: Readonly<Record<string, string>> = {
  ...sampleProject,
  "a.diagnostic.yaml": diagnostic("a"),
  "b.diagnostic.yaml": diagnostic("b", "alert: { above: 0.1 }\nexamples: [{ rollout: {}, expect: clear }]\n"),
  "𝔸 ü.diagnostic.yaml": diagnostic("c", "description: 𝔸 ü 🙂\nsevrity: info\n"),
  "a.intervention.yaml": interventionWith(
    "  - { file: harness/main.reward.yaml, path: components.correctness.shape, from: flat, to: binary }",
  ),
  // Two interventions that answer each other, and name themselves.
  "b.intervention.yaml": interventionWith(
    "  - { file: b.intervention.yaml, path: factor, from: reward, to: filter }",
  ).replace("insufficient-signal", "binary-reward"),
  "x.evidence.yaml": `${head}kind: Evidence\nname: x\nfields:\n  item: record.id\n  outcome: { pass: record.ok, fail: "!record.ok" }\n`,
  "y.evidence.yaml": `${head}kind: Lineage\nname: y\nnode: { id: commit, parent: { rule: previous } }\n`,
};

/** What people, merges and other programs leave in YAML. */
const pieces: readonly string[] = [
  "\t",
  "\n\t- a\n",
  "&a ",
  "*a",
  "<<: *a\n",
  "a: &a { b: *a }\n",
  "name: again\n",
  "label: { when: ",
  "'",
  '"',
  "- ",
  "{",
  "}]",
  "]",
  ": ",
  "#",
  "\r\n",
  "\uD835",
  "\uDD38",
  "🙂",
  "\uFEFF",
  "\u0000",
  "\u2028",
  "---\n",
  "...\n",
  "%YAML 1.1\n",
  "!!binary ",
  "? ",
  "|\n  x\n",
  ">-\n  outcome ==\n  'pass'\n",
  "kind: Lineage\n",
  "__proto__: { a: 1 }\n",
  "constructor: 1\n",
  'when: turns.exists(t, t.text.matches(r"(a+)+$"))\n',
  "params: { x: 1 }\n",
  "9".repeat(400),
  "1e999",
  "[".repeat(200),
  "(".repeat(500),
  "a: ".repeat(30),
  "k: v\n".repeat(300),
  "x ".repeat(2000),
];

const lone = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** The text as a file keeps it, without half characters. */
export const wellFormed = (text: string): string => text.replace(lone, "\uFFFD");

/** A text of the project or a piece of one, with a few random mistakes. */
export function fuzzText(random: Random): string {
  const texts = Object.values(fuzzProject);
  let text = pick(random, texts);
  for (let n = below(random, 4); n > 0; n--) {
    const at = below(random, text.length + 1);
    const cut = random() < 0.3 ? below(random, 40) : 0;
    const by = random() < 0.7 ? pick(random, pieces) : pick(random, texts).slice(at, at + 60);
    text = text.slice(0, at) + by + text.slice(at + cut);
  }
  return text;
}

export const fuzzPiece = (random: Random): string =>
  random() < 0.5 ? pick(random, pieces) : String.fromCharCode(32 + below(random, 95));

export const below = (random: Random, n: number): number => Math.floor(random() * n);

export function pick<T>(random: Random, from: readonly T[]): T {
  const found = from[below(random, from.length)];
  if (found === undefined) throw new Error("Nothing to choose from.");
  return found;
}
