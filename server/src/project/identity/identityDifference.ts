import type { MeasuredOn } from "../../../../shared/ledger/measures.ts";
import { listed } from "../../base/similar.ts";
import type { MeasuredFiles } from "./evaluationIdentity.ts";

/** What is known of what a version was measured on. */
export interface Basis {
  readonly version: string;
  readonly measuredOn: MeasuredOn;
  /** Undefined where its commit is gone: then only parts can be told apart. */
  readonly files: MeasuredFiles | undefined;
}

const parts = ["items", "evaluator", "protocol", "environment"] as const;
const partNames = {
  items: "the items of a split",
  evaluator: "the evaluator's files",
  protocol: "the protocol in evotrainer.yaml",
  environment: "files on no surface",
} as const satisfies Record<(typeof parts)[number], string>;

const namedAtMost = 3;

/** Why two versions cannot be compared, in a sentence that names what differs; undefined where they can. */
export function whyNotComparable(one: Basis, other: Basis): string | undefined {
  const found = differences(one, other);
  if (found.length === 0) return undefined;
  const named = found.slice(0, namedAtMost);
  const rest = found.length - named.length;
  const what = listed([...named, ...(rest > 0 ? [`${rest} more`] : [])], "and");
  return `${one.version} and ${other.version} cannot be compared, because they were not measured on the same things: ${what} ${found.length === 1 && !isPlural(named[0]) ? "differs" : "differ"}. Compare versions of one evolution, or put back what differs, commit, and run \`evotrainer evolve --restart\`.`;
}

const isPlural = (name: string | undefined): boolean =>
  name === partNames.items || name === partNames.evaluator || name === partNames.environment;

/** The files and settings in which two differ, those of the items first. */
export function differences(one: Basis, other: Basis): string[] {
  const found = parts.flatMap((part) => {
    if (one.measuredOn.parts[part] === other.measuredOn.parts[part]) return [];
    const [a, b] = [one.files?.[part], other.files?.[part]];
    if (a === undefined || b === undefined) return [partNames[part]];
    const names = [...new Set([...a.keys(), ...b.keys()])]
      .filter((name) => a.get(name) !== b.get(name))
      .sort();
    // The recorded digest and the commit may disagree: then only the part is certain.
    if (names.length === 0) return [partNames[part]];
    return part === "protocol" ? names.map((name) => `${name} in evotrainer.yaml`) : names;
  });
  const [a, b] = [one.measuredOn.data, other.measuredOn.data];
  const data = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((path) => a[path] !== b[path]);
  return [...found, ...data.sort()];
}
