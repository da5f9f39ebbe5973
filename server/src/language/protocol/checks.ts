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

/** Checks specs and tells the editor what changed in the findings. */
export type Checks = {
  /** Checks one spec now; one that is gone loses its findings. */
  readonly check: (path: string) => void;
  readonly checkAll: () => void;
  /** Checks all once nothing has come for a moment. */
  readonly checkSoon: () => void;
  readonly stop: () => void;
};

export function makeChecks(session: Session): Checks {
  const { index, connection } = session;
  const published = new Map<string, string>();
  let settling: NodeJS.Timeout | undefined;

  function check(path: string): void {
    const diagnostics = findingsOf(session, path);
    const uri = uriOf(session, path);
    const text = JSON.stringify(diagnostics);
    if ((published.get(uri) ?? "[]") === text) return;
    published.set(uri, text);
    void connection.sendDiagnostics({ uri, diagnostics });
  }

  function checkAll(): void {
    stop();
    for (const path of index.paths) if (specKindOf(path)) check(path);
  }

  function stop(): void {
    clearTimeout(settling);
    settling = undefined;
  }

  function checkSoon(): void {
    clearTimeout(settling);
    settling = setTimeout(checkAll, settleMs);
  }

  return { check, checkAll, checkSoon, stop };
}

/** What the rules find in a spec, as the editor shows it; nothing for a file that is no spec or is gone. */
function findingsOf({ index }: Session, path: string): Diagnostic[] {
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
