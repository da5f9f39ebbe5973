import { stringify } from "yaml";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import type { ContrastKind } from "./contrasts.ts";
import type { Conjunction } from "./contrast.ts";

/** A draft of a diagnostic, as its file says it. */
export interface DraftCondition {
  readonly name: string;
  readonly when: string;
  readonly evidence: string | null;
}

const longestName = 56;

/** Name, condition and evidence of what was induced. `taken` has the names that are in use; the new one is added. */
export function draftCondition(
  { atoms }: Pick<Conjunction, "atoms">,
  { within }: Pick<ContrastKind, "within">,
  taken: Set<string>,
): DraftCondition {
  const parts = [...(within === null ? [] : [within]), ...atoms.map(({ when }) => when)];
  const shown = atoms.map(({ evidence }) => evidence).filter((one) => one !== null);
  return {
    name: freeName(atoms.flatMap(({ words }) => words).join("-"), taken),
    when: parts.join(" && "),
    evidence:
      shown.length === 0 ? null : shown.map((one) => (shown.length > 1 ? `(${one})` : one)).join(" || "),
  };
}

function freeName(words: string, taken: Set<string>): string {
  const plain = words
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, longestName)
    .replaceAll(/^-+|-+$/g, "");
  const name = `gap-${plain === "" ? "draft" : plain}`;
  let free = name;
  for (let n = 2; taken.has(free); n++) free = `${name}-${n}`;
  taken.add(free);
  return free;
}

/** The diagnostic of a draft, as a spec. */
export function draftSpec({ name, when, evidence }: DraftCondition): DiagnosticSpec {
  return {
    ...{ apiVersion: "evotrainer/v1", kind: "Diagnostic", name, layer: "behaviour", over: "rollout" },
    ...{ params: {}, domainParams: {}, examples: [] },
    label: { when, ...(evidence === null ? {} : { evidence }), severity: "info", invalidates: false },
  };
}

/** The text of a draft's file: severity info and no alert, until somebody has looked at it. */
export function draftText(
  draft: DraftCondition,
  told: {
    readonly description: string;
    readonly domain: string;
    /** Archived rollouts as run/id. */
    readonly labelled: readonly string[];
    readonly clear: readonly string[];
  },
): string {
  const example = (expect: "labelled" | "clear") => (rollout: string) => ({ rollout, expect });
  return stringify(
    {
      ...{ apiVersion: "evotrainer/v1", kind: "Diagnostic", name: draft.name, description: told.description },
      ...{ layer: "behaviour", domains: [told.domain] },
      label: {
        when: draft.when,
        ...(draft.evidence === null ? {} : { evidence: draft.evidence }),
        severity: "info",
      },
      examples: [...told.labelled.map(example("labelled")), ...told.clear.map(example("clear"))],
    },
    { lineWidth: 0 },
  );
}
