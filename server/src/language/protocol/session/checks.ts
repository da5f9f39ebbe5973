import { DiagnosticSeverity, type Diagnostic } from "vscode-languageserver/node";
import { diagnose } from "../../features/diagnostics.ts";
import { Concerned } from "../../specs/concerned.ts";
import type { RuleContext } from "../../rule/rule.ts";
import { allRules } from "../../checks/ruleSet.ts";
import { saysOurs } from "../../syntax/specKind.ts";
import { asDocument, asRange, pathOf, uriOf, type Session } from "./session.ts";

const severities = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
} as const;

/** How long the other specs wait while one is being typed. The typed one is checked at once. */
const settleMs = 20;
/** A text longer than this is not checked while more of it is being typed, but once nothing has come for a moment. */
const longText = 100_000;
const longSettleMs = 300;
/** Requests are answered in between. */
const sliceMs = 10;

/** Checks specs and tells the editor what changed in the findings. */
export type Checks = {
  /** A text changed: its spec is checked now, those that read it soon. */
  readonly changed: (path: string) => void;
  /** The next findings of a URI are told even when they are the same: an editor may forget them when it opens a file. */
  readonly tellAgain: (uri: string) => void;
  /** Takes back what was told about a URI. */
  readonly takeBack: (uri: string) => void;
  /** Checks all, those that are open first; the promise ends when nothing is left to check. */
  readonly checkAll: () => Promise<void>;
  readonly stop: () => void;
};

export function makeChecks(session: Session): Checks {
  const { index, connection, log } = session;
  const concerned = new Concerned(index);
  const published = new Map<string, string>();
  const waiting = new Set<string>();
  /** Files that have changed, and whose readers have still to be found. */
  const lookAround = new Set<string>();
  const long = new Map<string, NodeJS.Timeout>();
  let next: NodeJS.Timeout | NodeJS.Immediate | undefined;
  let idle: (() => void)[] = [];
  let namesLeft = false;

  function publish(uri: string, diagnostics: readonly Diagnostic[]): void {
    const text = JSON.stringify(diagnostics);
    if ((published.get(uri) ?? "[]") === text) return;
    if (diagnostics.length > 0) published.set(uri, text);
    else published.delete(uri);
    void connection.sendDiagnostics({ uri, diagnostics: [...diagnostics] });
  }

  function check(path: string): void {
    waiting.delete(path);
    if (session.pullsDiagnostics) return;
    try {
      concerned.watch(path, (watched) => publish(uriOf(session, path), findingsOf(session, path, watched)));
    } catch (error) {
      // A rule that fails takes the findings with it, never the server.
      log.error("check", "failed", {
        path,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    }
  }

  function checkLater(path: string): void {
    clearTimeout(long.get(path));
    const timer = setTimeout(() => {
      long.delete(path);
      check(path);
    }, longSettleMs);
    long.set(path, timer);
  }

  function changed(path: string): void {
    if ((session.documents.get(uriOf(session, path))?.getText().length ?? 0) > longText) checkLater(path);
    else check(path);
    lookAround.add(path);
    next ??= setTimeout(drain, settleMs);
  }

  function drain(): void {
    const until = performance.now() + sliceMs;
    for (const path of lookAround) for (const other of concerned.by(path)) waiting.add(other);
    lookAround.clear();
    for (const path of waiting) {
      check(path);
      if (performance.now() > until) break;
    }
    next = waiting.size > 0 ? setImmediate(drain) : undefined;
    if (next !== undefined) return;
    const canRefresh = session.client.workspace?.diagnostics?.refreshSupport === true;
    if (session.pullsDiagnostics && canRefresh) void connection.languages.diagnostics.refresh();
    const done = idle;
    idle = [];
    for (const wake of done) wake();
    namesLeft ||= done.length > 0;
    if (namesLeft) next = setImmediate(takeInNames);
  }

  /** After all specs were checked their names are taken in as well: who asks for them first need not wait for that. */
  function takeInNames(): void {
    next = undefined;
    if (waiting.size > 0 || lookAround.size > 0) {
      drain();
      return;
    }
    namesLeft = !index.takeInNames(performance.now() + sliceMs);
    if (namesLeft) next = setImmediate(takeInNames);
  }

  function checkAll(): Promise<void> {
    const open = session.documents.all().flatMap(({ uri }) => pathOf(uri) ?? []);
    for (const path of [...open, ...index.paths]) waiting.add(path);
    if (waiting.size === 0) return Promise.resolve();
    next ??= setImmediate(drain);
    return new Promise((resolve) => idle.push(resolve));
  }

  function tellAgain(uri: string): void {
    if (published.has(uri)) published.set(uri, "unknown");
  }

  function takeBack(uri: string): void {
    if (published.delete(uri)) void connection.sendDiagnostics({ uri, diagnostics: [] });
  }

  function stop(): void {
    waiting.clear();
    namesLeft = false;
    for (const timer of long.values()) clearTimeout(timer);
    long.clear();
  }

  return { changed, tellAgain, takeBack, checkAll, stop };
}

/** What the rules find in a spec, as the editor shows it; nothing for a file that is no spec of ours, is gone, or lies outside. */
export function findingsOf(
  { index }: Session,
  path: string,
  watched: (context: RuleContext) => RuleContext = (context) => context,
): Diagnostic[] {
  const context = index.has(path) ? index.context(path) : undefined;
  if (!context || !(context.project || saysOurs(context.spec.text))) return [];
  const document = asDocument(context.spec.text);
  return diagnose(watched(context), allRules).map(({ code, severity, span, message, data }) => ({
    range: asRange(document, span),
    severity: severities[severity],
    code,
    source: "evotrainer",
    message,
    data,
  }));
}
