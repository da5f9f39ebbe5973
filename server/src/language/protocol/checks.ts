import { DiagnosticSeverity, type Diagnostic } from "vscode-languageserver/node";
import { diagnose } from "../features/diagnostics.ts";
import { allRules } from "../ruleSet.ts";
import { specKindOf } from "../syntax/specKind.ts";
import { asDocument, asRange, uriOf, type Session } from "./session.ts";

const severities = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
} as const;

/** How long the other specs wait while one is being typed. The typed one is checked at once. */
const settleMs = 150;
/** How long specs are checked before requests of the editor are looked at again. */
const sliceMs = 20;

/** Which specs an edit bears on: these first, and then all others where it cannot be told. */
export type Affected = { readonly files: readonly string[]; readonly all: boolean };

/** Checks specs and tells the editor what changed in the findings. */
export type Checks = {
  /** Checks one spec now; one that is gone loses its findings. */
  readonly check: (path: string) => void;
  readonly checkAll: () => void;
  /** Checks what is affected, all specs when omitted, once nothing has come for a moment. */
  readonly checkSoon: (affected?: Affected) => void;
  readonly stop: () => void;
};

export function makeChecks(session: Session): Checks {
  const { index, connection } = session;
  const published = new Map<string, string>();
  const waiting = new Set<string>();
  let all = false;
  let settling: NodeJS.Timeout | undefined;
  let sweeping: NodeJS.Immediate | undefined;

  function check(path: string): void {
    if (session.pullsDiagnostics) return;
    const diagnostics = findingsOf(session, path);
    const uri = uriOf(session, path);
    const text = JSON.stringify(diagnostics);
    if ((published.get(uri) ?? "[]") === text) return;
    published.set(uri, text);
    void connection.sendDiagnostics({ uri, diagnostics });
  }

  function checkAll(): void {
    stop();
    sweep(index.paths.filter((path) => specKindOf(path) !== undefined));
    if (session.pullsDiagnostics) void connection.languages.diagnostics.refresh();
  }

  /** Goes on where it stopped after the editor's requests were answered. */
  function sweep(paths: readonly string[]): void {
    const start = performance.now();
    let done = 0;
    for (const path of paths) {
      if (performance.now() - start > sliceMs) break;
      check(path);
      done++;
    }
    const rest = paths.slice(done);
    sweeping = rest.length > 0 ? setImmediate(() => sweep(rest)) : undefined;
  }

  function settle(): void {
    if (all) {
      all = false;
      waiting.clear();
      checkAll();
      return;
    }
    const affected = [...waiting];
    waiting.clear();
    for (const path of affected) check(path);
    if (session.pullsDiagnostics) void connection.languages.diagnostics.refresh();
  }

  function stop(): void {
    clearTimeout(settling);
    clearImmediate(sweeping);
    settling = undefined;
  }

  function checkSoon(affected?: Affected): void {
    // A sweep that is cut off has to be done again: what it had left is not known to be right.
    if (!affected || affected.all || sweeping !== undefined) all = true;
    for (const path of affected?.files ?? []) waiting.add(path);
    stop();
    sweeping = undefined;
    settling = setTimeout(settle, settleMs);
  }

  return { check, checkAll, checkSoon, stop };
}

/** What the rules find in a spec, as the editor shows it; nothing for a file that is no spec or is gone. */
export function findingsOf({ index }: Session, path: string): Diagnostic[] {
  const context = index.context(path);
  if (!context) return [];
  const document = asDocument(context.spec.text);
  return diagnose(context, allRules).map(({ code, severity, span, message, data }) => ({
    range: asRange(document, span),
    severity: severities[severity],
    code,
    source: "evotrainer",
    message,
    data,
  }));
}
