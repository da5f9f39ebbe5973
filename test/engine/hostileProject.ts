import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostile } from "../support/base/hostileText.ts";
import { makeRollout, toLine } from "../support/evidence/evidence.ts";
import { makeToyProject, testedOnce, toyFiles } from "./toyProject.ts";

const text = JSON.stringify(hostile);
const items = (split: string, n: number): string =>
  Array.from({ length: n }, (_, i) => `${JSON.stringify({ id: `${split}-${i}-${hostile}` })}\n`).join("");

/** The toy trainer, whose evidence, metrics and logs are hostile; with a bonus it fails with hostile words. */
function hostileTrainer(): string {
  const honest = readFileSync(join(import.meta.dirname, "toyTrainer.mjs"), "utf8");
  return `const hostile = ${text};
${honest
  .replace('? "success" : "fail",\n    turns', '? "success" : hostile,\n    turns')
  .replace("text: `calls ${tool}`", "text: hostile, args: { [hostile]: hostile }")
  .replace('["search", "edit", "submit"];', '["search", hostile, "submit"];')
  .replace("bonus: 1 }", "bonus: 1, [hostile]: 1 }")
  .replace("kl: 0.01", "kl: 0.01, [hostile]: 0.5")}
process.stdout.write("out " + hostile);
process.stderr.write("err " + hostile);
if (harness.bonus > 0) throw new Error(hostile);
`;
}

const because = (file: string): string =>
  (toyFiles[file] ?? "").replace("because: it should", `because: ${text}`);

/** A toy project in which every text that its schema leaves free is hostile. */
export function makeHostileProject(): string {
  const interventions = ["linear-shape", "bonus", "visible-history"].map(
    (name) => `harness/interventions/${name}.intervention.yaml`,
  );
  return makeToyProject({
    "evotrainer.yaml": testedOnce(toyFiles["evotrainer.yaml"] ?? "")
      .replaceAll("trainer.mjs]", "hostile.mjs]")
      .replace("generations: 2, variantsPerGeneration: 3", "generations: 1, variantsPerGeneration: 4"),
    ...Object.fromEntries(interventions.map((file) => [file, because(file)])),
    "harness/interventions/faster.intervention.yaml": because(
      "harness/interventions/faster.intervention.yaml",
    ).replace("to: fast", `to: ${text}`),
    "data/train.jsonl": items("train", 6),
    "data/selection.jsonl": items("selection", 12),
    "data/audit.jsonl": items("audit", 6),
    "hostile.mjs": hostileTrainer(),
    "odd.py": `raise RuntimeError(${text})\n`,
  });
}

/** Evidence whose every free field is hostile, lines that break the contract, and a lineage of another tool. */
export function writeHostileEvidence(root: string): { readonly evidence: string; readonly lineage: string } {
  const evidence = join(root, `evidence ${hostile}`);
  mkdirSync(evidence);
  const rollout = (changes: Parameters<typeof makeRollout>[0]): string =>
    toLine(
      makeRollout({
        run: hostile,
        item: hostile,
        group: hostile,
        split: "selection",
        stop_reason: hostile,
        components: { [hostile]: 1 },
        turns: [{ role: hostile, text: hostile, tool: hostile, args: { [hostile]: [hostile] }, ok: false }],
        policy: hostile,
        harness: hostile,
        extra: { [hostile]: hostile },
        ...changes,
      }),
    );
  writeFileSync(
    join(evidence, "rollouts.jsonl"),
    [
      rollout({ id: hostile }),
      rollout({ id: `${hostile}2`, sample: 1, outcome: "unknown", unknown_reason: hostile }),
      rollout({ id: `${hostile}3`, sample: 2, outcome: "fail", reward: 0 }),
      `{"id": ${text}}\n`,
      `{"id": 1, ${text}: 2}\n`,
      `${hostile.replaceAll(/[\r\n]/g, " ")}\n`,
    ].join(""),
  );
  writeFileSync(join(evidence, "metrics.jsonl"), `${JSON.stringify({ step: 1, [hostile]: 1 })}\n`);
  const lineage = join(mkdtempSync(join(tmpdir(), "evo-lineage-")), "results.tsv");
  const cell = hostile.replaceAll(/[\r\n\t]/g, " ");
  writeFileSync(
    lineage,
    `commit\tval_bpb\tmemory_gb\tstatus\tdescription\naaaaaaa\t1\t1\tkeep\t${cell}\nbbbbbbb\t0.5\t1\t${cell}\t${cell}\n`,
  );
  return { evidence, lineage };
}

/** Files of hosts and of ssh that name hostile hosts. */
export function writeHostileHosts(folder: string): { readonly hosts: string; readonly config: string } {
  const hosts = join(folder, "hosts.yaml");
  writeFileSync(
    hosts,
    `hosts: { ${text}: {}, odd: { ssh: ${text} }, box: { ssh: nowhere.invalid, ${text}: 1 } }\n`,
  );
  const config = join(folder, "ssh_config");
  writeFileSync(
    config,
    `Host ${hostile.replaceAll(/[\r\n\t]/g, "")} plain\n  HostName 127.0.0.1\n  Port 9\n`,
  );
  chmodSync(config, 0o600);
  return { hosts, config };
}
