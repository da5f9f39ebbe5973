import { labelShare } from "../../../../../shared/model/labelShare.ts";
import type { ReportedVersion } from "../../../../../shared/report/evolutionReport.ts";
import { auditGapText } from "../../../../../shared/words/auditText.ts";
import { answeredWords, decisionLooks, verdictLooks } from "../../../../../shared/words/decisions.ts";
import {
  counted,
  duration,
  measuredElsewhere,
  money,
  percent,
  percentOf,
  percentWithin,
  pointsWithin,
  setPercent,
} from "../../../../../shared/words/numbers.ts";
import { decisionText } from "../../../../../shared/words/stages.ts";
import { html, nothing, type Markup } from "./markup.ts";
import { list, paragraph, tableOf } from "./tables.ts";
import { utc } from "./times.ts";

type Decision = ReportedVersion["decisions"][number];

/** One version with every decision about it, and what each rests on. */
export function versionArticle(version: ReportedVersion): Markup {
  const { name, alias, parent, title, factor, decisions, pending } = version;
  const last = decisions.at(-1);
  const decision = last?.decision ?? "pending";
  return html`<article id="version-${name}">
    <header>
      <h3>${name}${alias === null ? "" : ` (${alias})`}</h3>
      <span class="decision ${decisionLooks[decision].word}"
        >${decisionLooks[decision].mark}
        ${decisionText({ decision, stage: last?.stage, claims: version.claims })}</span
      >
      <span class="quiet"
        >${parent === null ? "no parent" : html`of <a href="#version-${parent}">${parent}</a>`}${factor === null ? "" : `, ${factor}`}</span
      >
    </header>
    <p>${title}</p>
    ${pending === null ? nothing : paragraph(pending)}
    ${decisions.map((one, i) => decisionOf(one, { isOld: i < decisions.length - 1 }))} ${measuredOf(version)}
    ${
      version.hypothesis === null
        ? nothing
        : html`<h4>Hypothesis</h4>
            ${paragraph(version.hypothesis)}`
    }
    ${looksOf(version)} ${labelsOf(version)} ${approvalsOf(version)} ${jobsOf(version)}
    ${list(version.claims)} ${notesOf(version)}
    <p class="quiet">Commit <code>${version.commit}</code>, ${utc(version.at)}</p>
  </article> `;
}

function decisionOf(decision: Decision, { isOld }: { readonly isOld: boolean }): Markup {
  const { at, reason, comparison, evidence } = decision;
  const shown = evidence.map(({ rollout, turns, label }) => {
    const where =
      turns.length === 0 ? "" : `, ${counted(turns.length, "turn")} (${turns.slice(0, 6).join(", ")})`;
    return `${label}: ${rollout}${where}`;
  });
  return html`<p class="reason">
      ${isOld ? `Decided earlier (${utc(at)}), ${decisionLooks[decision.decision].became}: ` : ""}${reason}
    </p>
    ${comparison === null ? nothing : comparisonOf(decision, comparison)}
    ${
      shown.length === 0
        ? nothing
        : html`<h4>Rollouts that show it</h4>
            ${list(shown)}`
    }`;
}

function comparisonOf(
  { confidence, candidates }: Decision,
  comparison: NonNullable<Decision["comparison"]>,
): Markup {
  const { against, difference, low, high, items, seeds, method } = comparison;
  const corrected =
    confidence === null || candidates === null || candidates < 2
      ? ""
      : ` (${setPercent(confidence)}, corrected for ${counted(candidates, "candidate")})`;
  const ofSeeds =
    seeds === undefined
      ? ""
      : `, ${counted(seeds[1], "seed")} ${seeds[0] === seeds[1] ? "each" : `against ${counted(seeds[0], "seed")}`}`;
  return html`<p>
    Against ${against}: ${pointsWithin(difference, low, high)}, ${verdictLooks[comparison.verdict].word}, at
    ${setPercent(comparison.confidence)} confidence${corrected};
    ${counted(items, "paired item")}${ofSeeds}.${method === undefined ? "" : ` Interval: ${method}.`}
  </p>`;
}

function measuredOf({
  score,
  cleanScore,
  cleanBy,
  measured,
  seeds,
  audit,
  auditGap,
  promotion,
}: ReportedVersion): Markup {
  const parts = [
    ...(score === null
      ? []
      : [
          `Selection split: ${percentWithin(score.value, score.low, score.high)}, ${counted(score.items, "item")}, ${counted(score.rollouts, "rollout")}${score.unknown === 0 ? "" : `, ${score.unknown} with an unknown outcome`}${seeds === null ? "" : `, ${seeds.length === 1 ? "seed" : "seeds"} ${seeds.join(", ")}`}.`,
        ]),
    ...(cleanScore === null || score === null || cleanScore === score.value
      ? []
      : [
          `${cleanBy === "reevaluated" ? "Evaluated again without the leak" : "With the labelled rollouts as failures"}: ${percent(cleanScore)}.`,
        ]),
    ...(measured?.value == null
      ? []
      : [
          `${measured.metric}: ${measuredElsewhere(measured.value)}${measured.unit === null ? "" : ` ${measured.unit}`}.`,
        ]),
    ...(audit === null
      ? []
      : [
          `Sealed audit split: ${percentWithin(audit.value, audit.low, audit.high)}, ${counted(audit.items, "item")}${auditGapText(auditGap)}.`,
        ]),
    ...(promotion === null ? [] : [`Promoted: ${promotion.reason}`]),
  ];
  return html`${parts.map(paragraph)}`;
}

function looksOf({ looks }: ReportedVersion): Markup {
  if (looks.length === 0) return nothing;
  const rows = looks.map(({ at, seeds, verdict, reason }) => [
    utc(at),
    seeds.join(", "),
    verdict.replaceAll("_", " "),
    reason,
  ]);
  const columns = [{ title: "When" }, { title: "Seeds" }, { title: "Verdict" }, { title: "Why" }];
  return html`<h4>Looks at it as a candidate</h4>
    ${tableOf("Looks at it as a candidate", columns, rows)}`;
}

function labelsOf({ name, labels }: ReportedVersion): Markup {
  if (labels.length === 0) return nothing;
  const rows = labels.map((label) => {
    const { labelled, decided, rate } = labelShare(label);
    return [
      label.name,
      `${labelled} of ${decided} ${label.over === "group" ? "groups" : "rollouts"}`,
      rate === null ? "–" : percentOf(labelled, decided),
      [label.invalidates ? "invalidates" : "", label.alert ?? ""].filter((word) => word !== "").join(", "),
    ];
  });
  const columns = [
    { title: "Label", kind: "name" as const },
    { title: "Found in" },
    { title: "Share", kind: "number" as const },
    { title: "Alert" },
  ];
  return html`<h4>Labels</h4>
    ${tableOf(`Labels of ${name}`, columns, rows)}`;
}

function approvalsOf({ approvals }: ReportedVersion): Markup {
  if (approvals.length === 0) return nothing;
  const said = approvals.map(
    ({ at, gate, answer, by, comment }) =>
      `${gate} gate: ${answeredWords[answer]} by ${by}, ${utc(at)}${comment === null || comment === "" ? "" : `: ${comment}`}`,
  );
  return html`<h4>Gates</h4>
    ${list(said)}`;
}

function jobsOf({ jobs }: ReportedVersion): Markup {
  if (jobs.length === 0) return nothing;
  const said = jobs.map(({ job, failure, message, seconds, host, gpus, price }) =>
    [
      `${job}: ${failure === null ? "finished" : message}`,
      ...(seconds === null ? [] : [duration(seconds)]),
      ...(host === null ? [] : [`on ${host}`]),
      ...(gpus === null ? [] : [counted(gpus, "GPU")]),
      ...(price === null ? [] : [money(price)]),
    ].join(", "),
  );
  return html`<h4>Jobs</h4>
    ${list(said)}`;
}

function notesOf({ notes, tags }: ReportedVersion): Markup {
  const said = [
    ...(tags.length === 0 ? [] : [`Tags: ${tags.join(", ")}`]),
    ...notes.map(({ at, by, text }) => `${by}, ${utc(at)}: ${text}`),
  ];
  return said.length === 0
    ? nothing
    : html`<h4>Notes</h4>
        ${list(said)}`;
}
