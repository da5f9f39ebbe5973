/** Writes what is generated from the contracts, or checks it. Tests run this as a program. */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { z } from "zod";
import type { Adapter } from "../server/src/evidence/adapters/parts/adapter.ts";
import { allAdapters } from "../server/src/evidence/adapters/registry.ts";
import { diagnosticTables, type Generated } from "./diagnosticTables.ts";
import { formatted } from "./formatted.ts";
import { rulePages } from "./rulePages.ts";
import { specTables } from "./specTables.ts";
import { surfaceTables, verbWordsText } from "./surfaceTables.ts";
import { LedgerEntry } from "../shared/ledger/ledger.ts";
import { EvolutionReport } from "../shared/report/evolutionReport.ts";
import { ReportedScore } from "../shared/model/reportedScore.ts";
import { MetricRecord, Rollout, Turn } from "../shared/model/rollout.ts";
import { DiagnosticSpec } from "../shared/spec/diagnostic.ts";
import { EvidenceMapping } from "../shared/spec/evidenceMapping.ts";
import { InterventionSpec } from "../shared/spec/intervention.ts";
import { LineageMapping } from "../shared/spec/lineageMapping.ts";
import { ProjectSpec } from "../shared/spec/project.ts";
import { RewardSpec } from "../shared/spec/reward.ts";
import { SkillSpec } from "../shared/spec/skill.ts";

/** Writes the JSON Schemas of all contracts to schemas/ and the tables of the docs; with --check it only says which files are stale. */
const published: Readonly<Record<string, readonly [title: string, schema: z.ZodType, more?: object]>> = {
  rollout: [
    "EvoTrainer evidence: one rollout, contract version 1",
    Rollout,
    // The one rule of the contract that zod keeps in code.
    {
      if: { properties: { outcome: { const: "unknown" } }, required: ["outcome"] },
      then: { required: ["unknown_reason"] },
    },
  ],
  metric: ["EvoTrainer evidence: the metrics of one training step", MetricRecord],
  project: ["EvoTrainer project (evotrainer.yaml)", ProjectSpec],
  diagnostic: ["EvoTrainer diagnostic (*.diagnostic.yaml)", DiagnosticSpec],
  intervention: ["EvoTrainer intervention (*.intervention.yaml)", InterventionSpec],
  reward: ["EvoTrainer reward (*.reward.yaml)", RewardSpec],
  skill: ["EvoTrainer skill (*.skill.yaml)", SkillSpec],
  "lineage-mapping": [
    "EvoTrainer mapping of a ledger of runs (*.evidence.yaml, kind: Lineage)",
    LineageMapping,
  ],
  evidence: ["EvoTrainer evidence mapping (*.evidence.yaml)", EvidenceMapping],
  "ledger-entry": ["EvoTrainer ledger entry", LedgerEntry],
  report: ["EvoTrainer report of an evolution (evotrainer export --format json)", EvolutionReport],
};

const folder = join(import.meta.dirname, "..", "schemas");
const docs = join(import.meta.dirname, "..", "docs");
const verbWordsFile = join(import.meta.dirname, "../server/src/commands/completion/verbWords.ts");

function schemaText(title: string, schema: z.ZodType, more: object): string {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: "draft-2020-12", io: "input" });
  return `${JSON.stringify({ $schema, title, ...rest, ...more }, null, 2)}\n`;
}

const generated: readonly Generated[] = [
  {
    file: "evidence.md",
    mark: "fields",
    rows: () => [
      "| Field | Type | | Meaning |",
      "|---|---|---|---|",
      ...fieldTable(Rollout, ""),
      ...fieldTable(Turn, "turns[]."),
    ],
  },
  { file: "importing.md", mark: "formats", rows: () => formatTable("rollouts") },
  { file: "importing.md", mark: "metrics", rows: () => formatTable("metrics") },
  {
    file: "importing.md",
    mark: "scores",
    rows: () => ["| Field | Type | | Meaning |", "|---|---|---|---|", ...fieldTable(ReportedScore, "")],
  },
  ...diagnosticTables,
  ...rulePages,
  ...specTables,
  ...surfaceTables,
];

const Properties = z.object({
  required: z.array(z.string()).default([]),
  properties: z.record(
    z.string(),
    z.looseObject({
      description: z.string().default(""),
      type: z.union([z.string(), z.array(z.string())]).default("any"),
      enum: z.array(z.string()).optional(),
    }),
  ),
});

/** The table of fields in the guide, from the schema, so that the two cannot drift apart. */
function fieldTable(schema: z.ZodType, prefix: string): string[] {
  const { required, properties } = Properties.parse(z.toJSONSchema(schema, { io: "input" }));
  return Object.entries(properties).map(([name, field]) => {
    const types = field.enum ?? [field.type].flat();
    const optional = required.includes(name) ? "" : "optional";
    return `| \`${prefix}${name}\` | ${types.join(", ")} | ${optional} | ${field.description} |`;
  });
}

function byFile(): Map<string, Generated[]> {
  const pages = new Map<string, Generated[]>();
  for (const table of generated) pages.set(table.file, [...(pages.get(table.file) ?? []), table]);
  return pages;
}

/** The formats that are built in, from their adapters. */
async function formatTable(provides: Adapter["provides"]): Promise<string[]> {
  const withVerdict = provides === "rollouts";
  const rows = (await allAdapters())
    .filter((adapter) => adapter.provides === provides)
    .map(({ name, absent, note }) => {
      if (note === undefined) throw new Error(`The adapter of ${name} has no note for docs/importing.md.`);
      const lacks = Object.keys(absent).map((field) => `\`${field}\``);
      const cells = [`\`${name}\``, note.writer, note.files];
      if (withVerdict) cells.push(note.verdict ?? "", lacks.join(", ") || "–");
      return `| ${cells.join(" | ")} |`;
    });
  return withVerdict
    ? ["| `--as` | Written by | Files | Verdict | Cannot provide |", "|---|---|---|---|---|", ...rows]
    : ["| `--as` | Written by | Files |", "|---|---|---|", ...rows];
}

/** The page with its tables made anew, so that it and the code cannot drift apart. */
async function withTables(path: string, tables: readonly Generated[]): Promise<string> {
  let text = await readFile(path, "utf8");
  for (const { file, mark, rows } of tables) {
    const [open, close] = [`<!-- ${mark}: generated by scripts/schemas.ts -->`, `<!-- /${mark} -->`];
    const [start, end] = [text.indexOf(open), text.indexOf(close)];
    if (start === -1 || end < start) throw new Error(`docs/${file} has lost the marks of its table ${mark}.`);
    text = `${text.slice(0, start)}${open}\n\n${(await rows()).join("\n")}\n\n${text.slice(end)}`;
  }
  return formatted(path, text);
}

async function main(check: boolean): Promise<number> {
  await mkdir(folder, { recursive: true });
  const wanted = new Map(
    Object.entries(published).map(([name, [title, schema, more = {}]]) => [
      `${name}.schema.json`,
      schemaText(title, schema, more),
    ]),
  );
  const stale: string[] = [];
  for (const [name, text] of wanted) {
    const path = join(folder, name);
    const found = await readFile(path, "utf8").catch(() => undefined);
    if (found === text) continue;
    stale.push(name);
    if (!check) await writeFile(path, text);
  }
  for (const name of await readdir(folder))
    if (name.endsWith(".schema.json") && !wanted.has(name)) {
      stale.push(name);
      if (!check) await rm(join(folder, name));
    }
  for (const [file, tables] of byFile()) {
    const path = join(docs, file);
    const fresh = await withTables(path, tables);
    if (fresh === (await readFile(path, "utf8"))) continue;
    stale.push(`../docs/${file}`);
    if (!check) await writeFile(path, fresh);
  }
  const fresh = await formatted(verbWordsFile, await verbWordsText());
  if (fresh !== (await readFile(verbWordsFile, "utf8").catch(() => ""))) {
    stale.push("../server/src/commands/completion/verbWords.ts");
    if (!check) await writeFile(verbWordsFile, fresh);
  }
  const verb = check ? "is stale: run npm run schemas" : "written";
  process.stdout.write(stale.map((name) => `${posix.join("schemas", name)} ${verb}\n`).join(""));
  return check && stale.length > 0 ? 1 : 0;
}

void main(process.argv.includes("--check")).then((code) => {
  process.exitCode = code;
});
