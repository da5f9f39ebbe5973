import { of } from "./mutant.ts";

const admission = ["server/src/decision/admission/admission.test.ts"];
const built = ["test/engine/harnessVersions.test.ts"];

/** What a change of how evidence is read may do. */
export const harnessGuards = [
  ...of("server/src/decision/admission/judgeDiagnostic.ts", admission, [
    ["A revision that lets a quarantined version through is not admitted.", "releases(facts) ??", ""],
    ["A label that repeats another one is not admitted.", "repeats(facts) ??", ""],
    [
      "A revision of a diagnostic that invalidates is not on trial.",
      "if (before?.invalidates === true && invalidates)",
      "if (false)",
    ],
  ]),
  ...of("server/src/decision/admission/inForce.ts", admission, [
    [
      "A diagnostic on trial makes no version invalid.",
      "onTrial.has(one.spec.name) ? { ...one, spec: harmless(one.spec) } : one",
      "one",
    ],
    ["A diagnostic that somebody committed otherwise stays.", "if (!own.some(", "if (false && !own.some("],
  ]),
  ...of(
    "server/src/loop/steps/train.ts",
    built,
    [["A change of how evidence is read is not trained.", "commit === null || harness)", "commit === null)"]],
    { built: true },
  ),
];
