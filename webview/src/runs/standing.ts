import type { RunCurves } from "../../../shared/protocol/views/runs.ts";
import { alertLooks, decisionLooks, verdictLooks, type Look } from "../../../shared/words/decisions.ts";
import { shortName } from "../../../shared/words/shortName.ts";
import { element } from "../shared/dom.ts";
import { signElement } from "../shared/outcomes.ts";
import { visibleLine } from "../shared/visibleText.ts";
import { verdictLook } from "./soFar.ts";

/** More alerts than a row names; the page of the job has all of them. */
export const mostAlerts = 2;

type Marked = Pick<Look, "mark" | "colour">;
type Standing = Marked & { readonly word: string; readonly names: readonly string[] };
type Place = keyof typeof places;

/** Where a version can stand, in the order in which that is said, and whether it is also said that none stands there. */
const places = {
  better: { ...verdictLooks.improved, word: "better", isAsked: true },
  worse: { ...verdictLooks.regressed, word: "worse", isAsked: true },
  untrusted: { ...decisionLooks.invalid, word: "not to be trusted", isAsked: true },
  noise: { ...verdictLooks.inside_noise, isAsked: false },
  withheld: { ...verdictLooks.withheld, isAsked: false },
  open: { ...decisionLooks.pending, word: "not decided yet", isAsked: false },
} as const;

const placeOfVerdict = {
  improved: "better",
  regressed: "worse",
  inside_noise: "noise",
  withheld: "withheld",
} as const satisfies Record<string, Place>;

/** Which of the versions that are shown are better, worse and not to be trusted: each once, however many seeds it has. */
export function standings(runs: readonly RunCurves[]): readonly Standing[] {
  const found = new Map<Place, Set<string>>();
  for (const run of runs) {
    const place = placeOf(run, runs);
    if (place !== undefined)
      found.set(place, (found.get(place) ?? new Set()).add(shortName(run.job.version)));
  }
  return (Object.keys(places) as Place[]).flatMap((place) => {
    const { mark, colour, word, isAsked } = places[place];
    const names = [...(found.get(place) ?? [])];
    return names.length > 0 || isAsked ? [{ mark, colour, word, names }] : [];
  });
}

function placeOf(run: RunCurves, runs: readonly RunCurves[]): Place | undefined {
  const { compared, notValid, collapsedAt } = run.job;
  if (notValid === true) return "untrusted";
  if (compared !== undefined) return placeOfVerdict[compared.verdict];
  // It has lost what it could at an earlier step, whatever it is compared with.
  if (collapsedAt !== undefined) return "worse";
  return verdictLook(run, runs).word === "" ? undefined : "open";
}

/** `▲ better: none`, `▼ worse: v9`, `⊘ not to be trusted: none`, and what else there is. */
export const standingOf = (runs: readonly RunCurves[]): HTMLElement[] =>
  standings(runs).map(({ mark, colour, word, names }) =>
    entryOf({ mark, colour }, `${word}: ${names.length === 0 ? "none" : names.map(visibleLine).join(", ")}`),
  );

/** What the marks in the rows and on the curves mean, and by what nothing is decided. */
export function keyOf(runs: readonly RunCurves[]): HTMLElement[] {
  const shown = new Set(
    runs.flatMap(({ job }) => (job.alerts ?? []).slice(0, mostAlerts).map((a) => a.alert)),
  );
  const alarmed = runs.some(({ alarms }) => alarms.length > 0);
  const warnings = [
    ...(shown.has("warning") ? [alertLooks.warning.word] : []),
    ...(alarmed ? ["alarm that fired at a step"] : []),
  ];
  return [
    ...(shown.has("critical") ? [entryOf(alertLooks.critical, alertLooks.critical.word)] : []),
    ...(warnings.length === 0 ? [] : [entryOf(alertLooks.warning, warnings.join(", or "))]),
    element(
      "span",
      "",
      "The curves are of the training items. What is better or worse is decided on the selection split.",
    ),
  ];
}

function entryOf({ mark, colour }: Marked, text: string): HTMLElement {
  const entry = element("span", "entry");
  entry.append(signElement(mark, `sign colour-${colour}`), ` ${text}`);
  return entry;
}
