import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";

/** What an admitted harness version does to one diagnostic; null where it is not there. */
export interface DiagnosticChange {
  readonly version: string;
  readonly name: string;
  readonly before: DiagnosticSpec | null;
  readonly after: DiagnosticSpec | null;
  readonly onTrial: boolean;
}

export interface Loaded {
  readonly spec: DiagnosticSpec;
}

export interface DiagnosticsInForce<T extends Loaded> {
  readonly diagnostics: readonly T[];
  /** Those that are on trial: they label, and make no version invalid. */
  readonly onTrial: ReadonlySet<string>;
  /** Why an admitted change is not in force, a sentence each. */
  readonly notes: readonly string[];
}

/** The diagnostics that differ between two projects, in the order of the second one. */
export function changedDiagnostics(
  before: readonly DiagnosticSpec[],
  after: readonly DiagnosticSpec[],
): {
  readonly name: string;
  readonly before: DiagnosticSpec | null;
  readonly after: DiagnosticSpec | null;
}[] {
  const was = new Map(before.map((spec) => [spec.name, spec]));
  const is = new Map(after.map((spec) => [spec.name, spec]));
  const names = [...new Set([...is.keys(), ...was.keys()])];
  return names
    .map((name) => ({ name, before: was.get(name) ?? null, after: is.get(name) ?? null }))
    .filter((change) => !isSame(change.before, change.after));
}

/**
 * The diagnostics of a commit with the admitted changes, in the order in which they were admitted. A diagnostic that the
 * commit has otherwise than any of the changes found it is somebody's own, and stays.
 */
export function withAdmitted<T extends Loaded>(
  committed: readonly T[],
  changes: readonly DiagnosticChange[],
  loaded: (spec: DiagnosticSpec) => T,
): DiagnosticsInForce<T> {
  const found = new Map(committed.map((one) => [one.spec.name, one]));
  const notes: string[] = [];
  for (const [name, own] of byName(changes)) {
    const base = found.get(name)?.spec ?? null;
    const last = own.at(-1);
    if (last === undefined || isSame(base, last.after)) continue;
    if (!own.some(({ before }) => isSame(base, before)))
      notes.push(
        `${last.version} changed ${name}, and your commit has another ${name}: yours is in force. Propose it again with \`evotrainer propose --diagnostic <file>\` if the change is still wanted.`,
      );
    else if (last.after === null) found.delete(name);
    else found.set(name, loaded(last.after));
  }
  const onTrial = trialsAmong(
    [...found.values()].map(({ spec }) => spec),
    changes,
  );
  const diagnostics = [...found.values()].map((one) =>
    onTrial.has(one.spec.name) ? { ...one, spec: harmless(one.spec) } : one,
  );
  return { diagnostics, onTrial, notes };
}

/** Which of these diagnostics are, as they stand, on trial. */
export function trialsAmong(
  specs: readonly DiagnosticSpec[],
  changes: readonly DiagnosticChange[],
): ReadonlySet<string> {
  const last = new Map(changes.map((change) => [change.name, change]));
  return new Set(
    specs.flatMap((spec) => {
      const change = last.get(spec.name);
      return change?.onTrial === true && isSame(spec, change.after) ? [spec.name] : [];
    }),
  );
}

/** The same diagnostic without the power to make a version invalid. */
export const harmless = (spec: DiagnosticSpec): DiagnosticSpec => ({
  ...spec,
  label: { ...spec.label, invalidates: false },
});

function byName(changes: readonly DiagnosticChange[]): Map<string, DiagnosticChange[]> {
  const found = new Map<string, DiagnosticChange[]>();
  for (const change of changes) found.set(change.name, [...(found.get(change.name) ?? []), change]);
  return found;
}

const isSame = (a: DiagnosticSpec | null, b: DiagnosticSpec | null): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
