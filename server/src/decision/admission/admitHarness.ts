import type { Admission, AdmittedDiagnostic } from "../../../../shared/ledger/admission.ts";
import { judgeDiagnostic, type DiagnosticFacts } from "./judgeDiagnostic.ts";

export interface AdmissionVerdict {
  readonly admission: Admission;
  /** Sentences for a person: the verdict, and why. */
  readonly reason: string;
}

/** What a harness version says of itself: each diagnostic that it changes must be fit, and one on trial makes all of it so. */
export function admitHarness(facts: readonly DiagnosticFacts[]): AdmissionVerdict {
  const diagnostics = facts.map(judgeDiagnostic);
  if (diagnostics.length === 0)
    return {
      admission: { verdict: "refused", diagnostics },
      reason: "Not admitted: it changes no diagnostic that is in use.",
    };
  const of = (verdict: AdmittedDiagnostic["verdict"]): readonly AdmittedDiagnostic[] =>
    diagnostics.filter((d) => d.verdict === verdict);
  const verdict = of("refused").length > 0 ? "refused" : of("on_trial").length > 0 ? "on_trial" : "admitted";
  const word = { refused: "Not admitted", on_trial: "Admitted on trial", admitted: "Admitted" }[verdict];
  const because = of(verdict).map((d) => d.because);
  return { admission: { verdict, diagnostics }, reason: `${word}. ${because.join(" ")}` };
}

/** The figures of a harness version by name, as backtests keep them. */
export function admissionFigures({ diagnostics }: Admission): Record<string, number | null> {
  const one = diagnostics.length === 1;
  return Object.fromEntries(
    diagnostics.flatMap((d) => {
      const named = (figure: string): string => (one ? figure : `${figure} of ${d.name}`);
      const { right, wrong } = d.agreement;
      return [
        [named("decided versions"), d.versions],
        [named("AUC"), d.auc],
        [named("p"), d.p],
        [named("rollouts labelled"), d.labelled],
        [named("failures explained"), d.explains.failures],
        [named("failures without another label"), d.explains.of],
        [named("largest overlap"), d.overlaps[0]?.jaccard ?? null],
        [named("seconds for 10,000 rollouts"), d.secondsPer10000],
        ...(right + wrong === 0 ? [] : [[named("agrees with people"), right / (right + wrong)] as const]),
      ];
    }),
  );
}
