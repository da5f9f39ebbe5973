import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { formatted } from "../../formatted.ts";
import { figurePage, scoresFigure } from "./figure.ts";
import { readPhantom } from "../phantom/phantomResult.ts";
import { experimentFolder, root, workFolder } from "../paths.ts";
import { otherPlans, readPlan, type Plan, type PlanName } from "../plan.ts";
import { completePart, reportText } from "./report.ts";
import { readResults } from "../results.ts";
import { summarise, type OtherRun } from "./summary.ts";

/** The page, its figure as a page of its own, and the figure: all from the raw results and the discussion. */
export async function reportFiles(plan: Plan): Promise<Readonly<Record<"page" | "html" | "svg", string>>> {
  const results = readResults(plan);
  const shown = completePart(plan, results) ?? { plan, summary: summarise(plan, results) };
  const svg = scoresFigure(shown.plan, shown.summary);
  const discussion = readFileSync(join(experimentFolder, "discussion.md"), "utf8");
  const runOf = (name: PlanName): OtherRun => {
    const other = readPlan(name);
    return { plan: other, results: readResults(other) };
  };
  const isTrial = plan.small !== null;
  const others = isTrial ? [] : otherPlans.map(runOf);
  const skills = isTrial ? null : runOf("skills");
  const mend = isTrial ? null : { before: runOf("before"), mended: runOf("mended") };
  const phantom = isTrial ? null : { plan: readPlan("phantom"), results: readPhantom(readPlan("phantom")) };
  const page = await formatted(
    "docs/experiments.md",
    reportText(plan, results, { discussion, others, skills, mend, phantom }),
  );
  return { page, html: figurePage(svg, shown.summary), svg };
}

/** The browser that the tests draw with; undefined where this machine has none. */
const browser = (): string | undefined =>
  [process.env["EVOTRAINER_CHROMIUM"], "/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find(
    (file) => file !== undefined && existsSync(file),
  );

/** Writes the report: of a full run to docs/, of a trial beside its projects. Says what it wrote, and what it could not. */
export async function writeReport(plan: Plan, say: (line: string) => void): Promise<void> {
  const { page, html, svg } = await reportFiles(plan);
  const isTrial = plan.small !== null;
  const folder = isTrial ? workFolder(plan.name) : join(root, "docs");
  const images = join(folder, "images");
  mkdirSync(images, { recursive: true });
  const texts = { [join(folder, "experiments.md")]: page, [join(images, "experiments.html")]: html };
  for (const [file, text] of Object.entries(texts)) {
    writeFileSync(file, text);
    say(`${file} written`);
  }
  const executablePath = browser();
  if (executablePath === undefined) {
    say("No PNG was drawn: Chromium is missing (`npm run setup -- --editor` installs it).");
    return;
  }
  const drawing = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const view = await drawing.newPage({ deviceScaleFactor: 2 });
    await view.setContent(`<body style="margin:0">${svg}</body>`);
    await view.locator("svg").screenshot({ path: join(images, "experiments.png") });
    say(`${join(images, "experiments.png")} written`);
  } finally {
    await drawing.close();
  }
}
