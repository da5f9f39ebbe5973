import { CodeLensRefreshRequest } from "vscode-languageserver/node";
import { questionOf, questionsOf } from "../archive/triedConditions.ts";
import { keepConditions } from "../live/conditionKeeper.ts";
import { keepFacts } from "../live/factsKeeper.ts";
import type { AskEngine } from "../live/askEngine.ts";
import { liveBacktest } from "../live/liveBacktest.ts";
import { trustGrantedMethod, lineageChangedMethod } from "../../../../shared/protocol/lsp.ts";
import type { Checks } from "./session/checks.ts";
import { openSpec, pathOf, type Session } from "./session/session.ts";

const ageingMs = 15_000;

/**
 * Brings what the archive says to the specs: what it holds, and what an edit would do to it. In a workspace that is
 * trusted; nothing here is waited for.
 */
export function followArchive(
  session: Session,
  ask: AskEngine,
  { checks, trusted }: { readonly checks: Checks; readonly trusted: () => void },
): void {
  const { connection, documents, index, log } = session;
  const refresh = (): void => {
    const { codeLens, inlayHint } = session.client.workspace ?? {};
    if (codeLens?.refreshSupport === true) void connection.sendRequest(CodeLensRefreshRequest.type);
    if (inlayHint?.refreshSupport === true) void connection.languages.inlayHint.refresh();
  };
  const facts = keepFacts({
    // Imported evidence has an archive in a folder without a project too.
    folders: () => (session.trusted ? [...new Set([...index.projects, ...session.folders])] : []),
    ask,
    log,
    note: (root, found) => {
      index.noteFacts(root, found);
      void checks.checkAll();
      conditions.lookAgain(root, questionsOf(index.project(root)));
      refresh();
      // Without a project there is no ledger that would tell the views: an import and a diagnosis change the archive alone.
      if (!index.projects.includes(root)) void connection.sendNotification(lineageChangedMethod);
    },
  });
  const conditions = keepConditions({
    ask,
    log,
    note: (root, tried) => {
      index.noteTried(root, tried);
      void checks.checkAll();
    },
  });
  const live = liveBacktest({ ask, changed: refresh });
  // Ages are told: what is shown is drawn again before they are far from true.
  const ageing = setInterval(() => {
    if (index.projects.some((root) => index.project(root).facts !== undefined)) refresh();
  }, ageingMs);
  ageing.unref();
  session.effectOf = live.effectOf;

  connection.onNotification(trustGrantedMethod, () => {
    session.trusted = true;
    void connection.sendNotification(lineageChangedMethod);
    void facts.look();
    trusted();
  });
  const first = (uri: string): void => {
    const open = openSpec(session, { uri });
    if (open) live.settle(open.context);
    void session.ready.then(facts.look);
  };
  documents.onDidOpen(({ document }) => first(document.uri));
  // Where files are saved by themselves a moment after each edit, comparing with what was saved would show nothing.
  documents.onDidSave(() => void session.ready.then(facts.look));
  documents.onDidChangeContent(({ document }) => {
    const open = session.trusted ? openSpec(session, document) : undefined;
    if (!open) return;
    live.edit(open.context);
    const { spec, root } = open.context;
    const question = questionOf(spec);
    if (root !== undefined && question) conditions.look(root, question);
  });
  documents.onDidClose(({ document }) => {
    const path = pathOf(document.uri);
    if (path !== undefined) live.forget(path);
  });
  connection.onExit(() => {
    clearInterval(ageing);
    facts.stop();
    conditions.stop();
    live.stop();
  });
}
