import { createHash } from "node:crypto";
import type { EvolutionReport } from "../../../../../shared/report/evolutionReport.ts";
import { decisionLooks } from "../../../../../shared/words/decisions.ts";
import { duration, hours, money, percentWithin, counted, size } from "../../../../../shared/words/numbers.ts";
import { decisionText } from "../../../../../shared/words/stages.ts";
import { lineagePicture } from "./lineagePicture.ts";
import { html, Markup, nothing } from "./markup.ts";
import { style } from "./style.ts";
import { list, paragraph, section, tableOf, type Cell } from "./tables.ts";
import { utc } from "./times.ts";
import { versionArticle } from "./versionArticle.ts";

/** The report as one file that needs nothing else: no script, and nothing from elsewhere. */
export function reportPage(report: EvolutionReport): string {
  const { project, domain, versions } = report;
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  // The hash is of every character between the tags.
  const sheet = new Markup(`<style>${style}</style>`);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${project}: evolution report</title>
        ${sheet}
      </head>
      <body>
        <header>
          <h1>Evolution of ${project}</h1>
          <p class="quiet">
            Domain ${domain}. Made on ${utc(report.made)} by EvoTrainer
            ${report.tool.release}${report.ledger === null ? "" : html` from the ledger at <code>${report.ledger}</code>`}.
          </p>
        </header>
        <main>
          ${factsOf(report)} ${warningsOf(report)}
          ${section("lineage", "Lineage", [lineagePicture(versions), versionsTable(report)])}
          ${section("decisions", "Decisions", versions.map(versionArticle))} ${selectionsOf(report)}
          ${sealedOf(report)} ${calibrationOf(report)} ${approvalsOf(report)} ${costsOf(report)}
          ${proposersOf(report)} ${evidenceOf(report)} ${specsOf(report)}
        </main>
      </body>
    </html> `;
  return page.text;
}

function factsOf({ versions, selection, sealed, costs }: EvolutionReport): Markup {
  const kept = versions.filter(({ decisions }) => {
    const decision = decisions.at(-1)?.decision;
    return decision === "keep" || decision === "merge";
  });
  const promoted = versions.filter(({ promotion }) => promotion !== null).map(({ name }) => name);
  const facts: [string, string][] = [
    ["Versions", String(versions.length)],
    ["Kept", String(kept.length)],
    ["Promoted", promoted.length === 0 ? "none" : promoted.join(", ")],
    ["Looks at the selection split", String(selection.looks)],
    ["Audit split", sealed.length === 0 ? "sealed" : `opened ${utc(sealed[0]?.at ?? "").slice(0, 10)}`],
    ["Time of all jobs", duration(costs.seconds)],
  ];
  return html`<dl class="facts">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

const warningsOf = ({ warnings }: EvolutionReport): Markup =>
  warnings.length === 0
    ? nothing
    : html`<section class="warnings" aria-labelledby="warnings">
        <h2 id="warnings">Before you trust this</h2>
        ${list(warnings)}
      </section>`;

function versionsTable({ versions }: EvolutionReport): Markup {
  const rows = versions.map(({ name, parent, decisions, score, measured, title, claims }): Cell[] => {
    const last = decisions.at(-1);
    const decision = last?.decision ?? "pending";
    const { mark, word } = decisionLooks[decision];
    return [
      html`<a href="#version-${name}">${name}</a>`,
      parent ?? "–",
      html`<span class="${word}">${mark}</span> ${decisionText({ decision, stage: last?.stage, claims })}`,
      score === null ? String(measured?.value ?? "–") : percentWithin(score.value, score.low, score.high),
      title,
    ];
  });
  const columns = [
    { title: "Version", kind: "name" as const },
    { title: "Parent", kind: "name" as const },
    { title: "Decision", kind: "name" as const },
    { title: "Score", kind: "number" as const },
    { title: "Change" },
  ];
  return tableOf("Versions", columns, rows);
}

function selectionsOf({ selection: { looks, comparisons } }: EvolutionReport): Markup {
  const rows = comparisons.map(({ at, version, against, purpose }) => [utc(at), version, against, purpose]);
  const columns = [{ title: "When" }, { title: "Version" }, { title: "Against" }, { title: "Purpose" }];
  return section("selections", "Selections", [
    paragraph(
      looks === 0
        ? "The selection split was never looked at to decide on a version."
        : `The selection split was looked at ${counted(looks, "time")} to decide on a version. The more often it is looked at, the more chance flatters the best version.`,
    ),
    tableOf("Comparisons on the selection split", columns, rows),
  ]);
}

function sealedOf({ sealed }: EvolutionReport): Markup {
  const rows = sealed.map(({ at, version, what, says }) => [utc(at), version, what, says]);
  const columns = [{ title: "When" }, { title: "Version" }, { title: "What" }, { title: "Result" }];
  return section("sealed", "What was sealed", [
    paragraph(
      sealed.length === 0
        ? "The audit split is sealed: no version was measured on it."
        : "The audit split was sealed until it was opened for the promotion of a version.",
    ),
    tableOf("When the audit split was opened", columns, rows),
  ]);
}

function calibrationOf({ calibration, procedure }: EvolutionReport): Markup {
  return section("calibration", "Calibration and procedure", [
    ...calibration.map(
      ({ at, version, sentences }) =>
        html`<p>${version}, ${utc(at)}:</p>
          ${list(sentences)}`,
    ),
    procedure.length === 0
      ? nothing
      : list(
          procedure.map(
            ({ at, failures, step, reason }) =>
              `${utc(at)}, after ${counted(failures, "failure")} in a row: ${step.replaceAll("-", " ")}. ${reason}`,
          ),
        ),
    calibration.length + procedure.length > 0
      ? nothing
      : paragraph("The ledger has no calibration of this evolution."),
  ]);
}

function approvalsOf({ versions }: EvolutionReport): Markup {
  const rows = versions.flatMap(({ name, approvals }) =>
    approvals.map(({ at, gate, answer, by, comment }) => [utc(at), name, gate, answer, by, comment ?? ""]),
  );
  const columns = ["When", "Version", "Gate", "Answer", "By", "Comment"].map((title) => ({ title }));
  return section("approvals", "Who approved what", [tableOf("Answers at the gates", columns, rows)]);
}

function costsOf({ costs }: EvolutionReport): Markup {
  const { jobs, seconds, withoutSeconds, gpuHours, prices, machines } = costs;
  const paid = prices.length === 0 ? "No job has a price" : `Together ${prices.map(money).join(", ")}`;
  const rows = machines.map(({ host, jobs: n, hours: h, cost }) => [
    host,
    String(n),
    hours(h),
    cost === null ? "no price" : money(cost),
  ]);
  const columns = [
    { title: "Machine" },
    { title: "Jobs", kind: "number" as const },
    { title: "Time", kind: "number" as const },
    { title: "Cost", kind: "number" as const },
  ];
  return section("costs", "Costs", [
    paragraph(
      `The ledger has ${counted(jobs, "job")} of ${duration(seconds)} together${withoutSeconds === 0 ? "" : `, and ${withoutSeconds} whose duration is not known`}. ${gpuHours === null ? "It does not say how many GPUs they had" : `GPUs were used for ${hours(gpuHours)}`}. ${paid}.`,
    ),
    tableOf("Jobs by machine", columns, rows),
  ]);
}

function proposersOf({ proposers }: EvolutionReport): Markup {
  const rows = proposers.map(({ proposer, proposed, kept, rejected, invalid, refused, open }) => [
    proposer,
    ...[proposed, kept, rejected, invalid, refused, open].map(String),
  ]);
  const counts = ["Proposed", "Kept", "Rejected", "Invalid", "Not trained", "Open"];
  return section("proposers", "Proposers", [
    tableOf(
      "What became of the proposals",
      [{ title: "Proposer" }, ...counts.map((title) => ({ title, kind: "number" as const }))],
      rows,
    ),
  ]);
}

function evidenceOf({ evidence }: EvolutionReport): Markup {
  const rows = evidence.flatMap(({ run, files }) =>
    files.map(({ name, bytes, sha256, copy }): Cell[] => [
      `${run}/${name}`,
      size(bytes),
      html`<code>${sha256}</code>`,
      ...(copy === null ? [] : [copy]),
    ]),
  );
  const columns = [
    { title: "File" },
    { title: "Size", kind: "number" as const },
    { title: "SHA-256 when its job had ended" },
  ];
  return section("evidence", "Evidence", [
    rows.length === 0
      ? paragraph("The ledger names no evidence files.")
      : paragraph("The evidence is not in this report. These are the files that the decisions rest on."),
    tableOf("Evidence files", columns, rows),
  ]);
}

function specsOf({ specs, tool }: EvolutionReport): Markup {
  const named = specs.diagnostics.map(({ name, revision }) =>
    revision === null ? name : `${name} (${revision})`,
  );
  return section("specs", "Versions of the tool and the specs", [
    paragraph(
      html`EvoTrainer ${tool.release}, specs of
      ${specs.apiVersion}${specs.commit === null ? "" : html`, evolution begun at commit <code>${specs.commit}</code>`}.`,
    ),
    named.length === 0 ? nothing : paragraph(`Diagnostics with their revisions: ${named.join(", ")}.`),
  ]);
}
