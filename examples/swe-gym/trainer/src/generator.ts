import { callFunction, tokenize, type SourceFunction, type Value } from "./language.ts";
import type { Item, TestCase } from "./item.ts";
import { Random, seedOf } from "../../../gym/src/random.ts";
import { applyRewrite, familyOf, isVariable, rewritesOf, type Family, type Rewrite } from "./rewrites.ts";
import { symptomOf } from "./symptoms.ts";
import { fileNames, localNames, numberNames, templates, textNames, topics } from "./templates.ts";

interface Draft extends SourceFunction {
  readonly topic: string;
  readonly types: readonly ("n" | "s")[];
}

interface Site {
  readonly file: number;
  readonly fn: number;
  readonly line: number;
  readonly rewrite: Rewrite;
  readonly family: Family;
  readonly broken: SourceFunction;
  readonly detecting: readonly TestCase[];
  readonly passing: readonly TestCase[];
}

const words = [
  "Blue Sky",
  " oak ",
  "delta",
  "Nova",
  "Red fox",
  "ABC",
  "Mellow",
  " Pine",
  "tide",
  "OK",
  "rover",
  "Echo",
];

function draftFunction(random: Random, topic: string, taken: ReadonlySet<string>): Draft | undefined {
  const template = random.pick(templates);
  const name = `${random.pick(template.verbs)}_${topic}`;
  if (taken.has(name)) return undefined;
  const numbers = random.shuffle(numberNames);
  const texts = random.shuffle(textNames);
  const locals = random.shuffle(localNames);
  const names = new Map<string, string>();
  template.parameters.forEach((p) => names.set(p, (p.startsWith("n") ? numbers.pop() : texts.pop()) ?? p));
  ["q1", "q2"].forEach((q) => names.set(q, locals.pop() ?? q));
  const rename = (token: string): string => names.get(token) ?? token;
  return {
    name,
    topic,
    types: template.parameters.map((p) => (p.startsWith("n") ? "n" : "s")),
    parameters: template.parameters.map(rename),
    body: template.body.map((line) => tokenize(line).map(rename)),
  };
}

function drawArguments(random: Random, fn: Draft): Value[] {
  const args: Value[] = [];
  fn.types.forEach((type, i) => {
    const earlier = args.filter((_, j) => fn.types[j] === type);
    if (i > 0 && earlier.length > 0 && random.chance(0.3)) args.push(random.pick(earlier));
    else if (type === "s") args.push(random.pick(words));
    else args.push(random.chance(0.6) ? random.between(0, 8) : random.between(9, 130));
  });
  return args;
}

/** Calls with the right results, split by whether the broken function gets them wrong. */
function drawTests(
  random: Random,
  right: Draft,
  broken: SourceFunction,
): Pick<Site, "detecting" | "passing"> {
  const detecting = new Map<string, TestCase>();
  const passing = new Map<string, TestCase>();
  for (let i = 0; i < 80; i++) {
    const args = drawArguments(random, right);
    const expected = callFunction(right, args);
    if (!("value" in expected)) continue;
    const got = callFunction(broken, args);
    const differs = !("value" in got) || got.value !== expected.value;
    (differs ? detecting : passing).set(JSON.stringify(args), [right.name, args, expected.value]);
  }
  return { detecting: [...detecting.values()], passing: [...passing.values()] };
}

function scopeBefore(fn: SourceFunction, line: number): string[] {
  const bound = fn.body.slice(0, line).flatMap((t) => (t[0] === "let" && t[1] !== undefined ? [t[1]] : []));
  return [...fn.parameters, ...bound.filter(isVariable)];
}

/** A mistake in a function that tests can tell from the right code; undefined when a try gives none. */
function drawSite(
  random: Random,
  files: readonly (readonly Draft[])[],
  file: number,
  family?: Family,
): Site | undefined {
  const drafts = files[file] ?? [];
  const fn = random.below(drafts.length);
  const right = drafts[fn];
  if (right === undefined) return undefined;
  const line = random.below(right.body.length);
  const tokens = right.body[line] ?? [];
  const rewrites = rewritesOf(tokens, scopeBefore(right, line));
  const structural = rewrites.filter((r) => familyOf(r) !== "variable");
  const pool = random.chance(0.85) && structural.length > 0 ? structural : rewrites;
  const wanted = family === undefined ? pool : rewrites.filter((r) => familyOf(r) === family);
  if (wanted.length === 0) return undefined;
  const rewrite = random.pick(wanted);
  const broken = { ...right, body: right.body.map((t, i) => (i === line ? applyRewrite(t, rewrite) : t)) };
  const { detecting, passing } = drawTests(random, right, broken);
  if (detecting.length < 4 || passing.length < 2) return undefined;
  return { file, fn, line, rewrite, family: familyOf(rewrite), broken, detecting, passing };
}

/** One to three places of one mistake; all in one file, or spread when `spread`. */
function drawSites(
  random: Random,
  files: readonly (readonly Draft[])[],
  count: number,
  spread: boolean,
): Site[] | undefined {
  const sites: Site[] = [];
  for (let tries = 0; tries < 200 && sites.length < count; tries++) {
    const first = sites[0];
    const elsewhere = files.map((_, i) => i).filter((i) => i !== first?.file);
    const file = first === undefined || spread ? random.pick(elsewhere) : first.file;
    const site = drawSite(random, files, file, random.chance(0.8) ? first?.family : undefined);
    if (site === undefined || sites.some((s) => s.file === site.file && s.fn === site.fn)) continue;
    sites.push(site);
  }
  return sites.length === count ? sites : undefined;
}

/** Text of a file and the line number (from 1) of each statement. */
function renderFile(functions: readonly (Draft | (SourceFunction & Pick<Draft, "topic">))[]): {
  text: string;
  lines: number[][];
} {
  const out: string[] = [];
  const lines = functions.map((fn) => {
    out.push(`# ${fn.topic}: ${fn.name.split("_")[0] ?? ""} of ${fn.parameters.join(" and ")}`);
    out.push(`fn ${fn.name}(${fn.parameters.join(", ")})`);
    const numbers = fn.body.map((tokens) => out.push(`  ${tokens.join(" ")}`));
    out.push("");
    return numbers;
  });
  return { text: out.slice(0, -1).join("\n"), lines };
}

function drawFiles(random: Random, count: number): Draft[][] {
  const taken = new Set<string>();
  const pool = random.shuffle(topics).slice(0, count + 2);
  return Array.from({ length: count }, () => {
    const functions: Draft[] = [];
    const size = random.between(2, 3);
    while (functions.length < size) {
      const fn = draftFunction(random, random.pick(pool), taken);
      if (fn === undefined) continue;
      taken.add(fn.name);
      functions.push(fn);
    }
    return functions;
  });
}

function describeIssue(
  random: Random,
  sites: readonly Site[],
  files: readonly (readonly Draft[])[],
): Item["issue"] {
  const site = sites[0];
  const target = site ? files[site.file]?.[site.fn] : undefined;
  if (site === undefined || target === undefined) throw new Error("an issue needs a site");
  const symptom = symptomOf(random, site.family);
  const named = random.chance(0.8);
  const subject = named ? target.name : target.topic;
  const others = files.flat().filter((f) => f.name !== target.name);
  const distractors = random.shuffle(others).slice(0, 2);
  const mentions = distractors.map((f, i) => (i === 0 ? f.name : f.topic)).filter((w) => w !== subject);
  const aside = random.pick([
    "Seen while working with",
    "Came up next to",
    "Reported by someone who uses",
    "Probably unrelated to",
  ]);
  return {
    title: `${subject}: ${symptom}`,
    body: `${aside} ${mentions.join(" and ")}.`,
    terms: [subject, ...new Set(mentions)],
  };
}

function hiddenTests(
  random: Random,
  sites: readonly Site[],
  files: readonly (readonly Draft[])[],
): { hidden: TestCase[]; visible: TestCase[] } {
  const hidden: TestCase[] = [];
  const visible: TestCase[] = [];
  sites.forEach((site, i) => {
    const detecting = random.shuffle(site.detecting);
    const passing = random.shuffle(site.passing);
    const shown = i === 0 || random.chance(0.9) ? 1 : 0;
    visible.push(...detecting.splice(0, shown), ...passing.splice(0, 1));
    hidden.push(...detecting.slice(0, sites.length === 1 ? 3 : 2), ...passing.slice(0, 1));
  });
  const broken = new Set(sites.map((s) => files[s.file]?.[s.fn]?.name));
  const others = random.shuffle(files.flat().filter((f) => !broken.has(f.name)));
  const quiet = others.flatMap((fn) => random.shuffle(drawTests(random, fn, fn).passing).slice(0, 2));
  visible.push(...quiet.splice(0, 2));
  const failing = sites.length === 1 ? 3 : 2 * sites.length;
  while (hidden.length < 2 * failing + 2 && quiet.length > 0) hidden.push(...quiet.splice(0, 1));
  return { visible: random.shuffle(visible), hidden: random.shuffle(hidden) };
}

/** How repositories are drawn. */
export interface Setting {
  /** The fewest and the most files. */
  readonly files: readonly [number, number];
}

export const usual: Setting = { files: [2, 4] };
/** Larger repositories, of the shifted audit. */
export const shifted: Setting = { files: [5, 7] };

/** The item of a seed; the same seed gives the same item on every machine. */
export function generateItem(seed: number, id: string, { files: [fewest, most] }: Setting = usual): Item {
  for (let attempt = 0; ; attempt++) {
    const random = new Random(seedOf("item", seed, attempt));
    const fileCount = random.between(fewest, most);
    const roll = random.next();
    const count = roll < 0.5 ? 1 : roll < 0.92 ? 2 : 3;
    const spread = count > 1 && random.chance(0.25);
    const files = drawFiles(random, fileCount);
    const sites = drawSites(random, files, count, spread);
    if (sites === undefined) continue;
    const names = random.shuffle(fileNames).slice(0, fileCount);
    const right = files.map(renderFile);
    const wrong = files.map((functions, f) =>
      renderFile(
        functions.map((fn, i) => {
          const site = sites.find((s) => s.file === f && s.fn === i);
          return site ? { ...site.broken, topic: fn.topic } : fn;
        }),
      ),
    );
    const { hidden, visible } = hiddenTests(random, sites, files);
    const fix = sites.map((s) => {
      const line = right[s.file]?.lines[s.fn]?.[s.line] ?? 0;
      return { file: names[s.file] ?? "", line, text: right[s.file]?.text.split("\n")[line - 1] ?? "" };
    });
    const issue = describeIssue(random, sites, files);
    const commit = seedOf("commit", seed).toString(16).padStart(8, "0").slice(0, 7);
    return {
      id,
      difficulty: Math.min(
        1,
        Math.round((0.1 + 0.35 * (count - 1) + (spread ? 0.2 : 0) + 0.1 * (fileCount - 2)) * 100) / 100,
      ),
      family: sites[0]?.family ?? "variable",
      issue,
      files: names.map((name, i) => ({ name, text: wrong[i]?.text ?? "" })),
      fix,
      upstream: {
        commit,
        author: random.pick(["Ada", "Kim", "Noor", "Sol"]),
        message: `Repair ${issue.terms[0] ?? "the report"}`,
      },
      visible,
      hidden,
    };
  }
}
