// Draws docs/images/concepts.svg, the two loops: `npx tsx scripts/concepts.ts`.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const picture = join(import.meta.dirname, "../docs/images/concepts.svg");

const [ink, dark] = ["#3b4252", "#1f2430"];
const inner = { fill: "#eef3fb", stroke: "#3f6cb5" };
const outer = { fill: "#fdf4e3", stroke: "#a8701a" };
const height = 84;

/** What stands in the boxes of the inner loop, from its begin on; each box is 170 wide. */
const learning = (
  [
    [30, 60, "Evidence", "rollouts in groups,", "training metrics"],
    [240, 60, "Diagnosis", "diagnostics label rollouts;", "findings say what is wrong"],
    [450, 60, "Proposal", "one change, a hypothesis,", "tried on old rollouts"],
    [660, 60, "Gate", "a person or the rule:", "approve, revise, reject"],
    [660, 210, "Training", "jobs on this machine,", "a host or a cluster"],
    [450, 210, "Decision", "compared with its parent,", "item by item"],
    [240, 210, "Lineage", "every version stays,", "whatever was decided"],
    [30, 210, "Skills and cases", "what helped and what not,", "for the next proposal"],
  ] as const
).map(([x, y, ...texts]) => box({ x, y, width: 170, look: inner }, texts));

const seeing = (
  [
    [30, 250, "Gap", "failures that no label explains", "(evotrainer gaps)"],
    [320, 230, "Drafted diagnostic", "made from one half of the items,", "judged on the other"],
    [590, 240, "Harness version", "admitted if it separates what was", "kept from what was rejected"],
  ] as const
).map(([x, width, ...texts]) => box({ x, y: 338, width, look: outer }, texts));

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly look: { readonly fill: string; readonly stroke: string };
}

function box({ x, y, width, look }: Box, [title, ...lines]: readonly [string, ...string[]]): string {
  const middle = x + width / 2;
  return [
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" fill="${look.fill}" stroke="${look.stroke}"/>`,
    `<text x="${middle}" y="${y + 26}" text-anchor="middle" fill="${dark}" font-size="14" font-weight="600">${title}</text>`,
    ...lines.map(
      (line, i) =>
        `<text x="${middle}" y="${y + 48 + 18 * i}" text-anchor="middle" fill="${ink}">${line}</text>`,
    ),
  ].join("\n");
}

const arrow = (path: string): string =>
  `<path d="${path}" fill="none" stroke="${ink}" stroke-width="1.5" marker-end="url(#a)"/>`;

const heading = (y: number, text: string): string =>
  `<text x="30" y="${y}" fill="${dark}" font-weight="600">${text}</text>`;

/** The picture as a text. */
export const concepts = (): string =>
  `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 440" role="img" aria-labelledby="t d" font-family="system-ui, sans-serif" font-size="12">`,
    `<title id="t">The two loops of EvoTrainer</title>`,
    `<desc id="d">The inner loop goes from evidence over diagnosis, proposal, gate, training and decision to the lineage, and what training writes is new evidence. The outer loop goes from failures that no label explains over a new diagnostic and its admission to the next diagnosis.</desc>`,
    `<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z" fill="${ink}"/></marker></defs>`,
    `<rect x="1" y="1" width="858" height="438" rx="10" fill="#ffffff" stroke="#8a93a5"/>`,
    heading(36, "Inner loop: the policy learns"),
    heading(326, "Outer loop: the harness learns to see; trains nothing"),
    ...learning,
    ...["M200 102h38", "M410 102h38", "M620 102h38", "M745 144v64"].map(arrow),
    ...["M660 252h-38", "M450 252h-38", "M240 252h-38", "M690 210 C640 164 300 178 190 146"].map(arrow),
    `<text x="420" y="194" fill="${ink}">trains, and writes new rollouts</text>`,
    ...seeing,
    ...["M280 380h38", "M550 380h38"].map(arrow),
    "</svg>",
  ].join("\n")}\n`;

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) writeFileSync(picture, concepts());
