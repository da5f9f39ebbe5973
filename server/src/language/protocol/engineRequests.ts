import type { CancellationToken } from "vscode-languageserver/node";
import { engineMethod, EngineParams } from "../../../../shared/protocol/lsp.ts";
import type { EditorService } from "../../../../shared/protocol/editorServices.ts";
import type { AllServices } from "../../../../shared/protocol/services.ts";
import type { EngineReply } from "../../../../shared/protocol/services/service.ts";
import { HarnessError } from "../../base/errors.ts";
import { assertParams } from "../../engine/workspace/service.ts";
import { archiveStamp, type Engines } from "../live/askEngine.ts";
import type { Session } from "./session/session.ts";
import { tellEngineOfEditor } from "./sshPrompts.ts";

type Result = AllServices[EditorService]["result"];

/**
 * Passes what a view asks to the engine of a project, in a workspace that is trusted. What the engine refuses is an answer;
 * only a fault is an error of the request.
 */
export function answerEngine(session: Session, engines: Engines): void {
  const { connection } = session;
  const tellOfEditor = tellEngineOfEditor(session);
  connection.onRequest<EngineReply<Result>, unknown>(
    engineMethod,
    async (given: unknown, token: CancellationToken): Promise<EngineReply<Result>> => {
      await session.ready;
      const { root: asked, service, params } = EngineParams.parse(given);
      if (!session.trusted) return { type: "untrusted" };
      if (session.folders.length === 0) return { type: "noFolder" };
      const root = await folderAsked(session, { asked, service });
      if (root === undefined) return { type: "noProject" };
      const stop = new AbortController();
      const subscription = token.onCancellationRequested(() => stop.abort());
      try {
        await tellOfEditor(root);
        const result = await answer(engines, { root, service, params, signal: stop.signal });
        return result === undefined ? { type: "noArchive" } : { type: "answer", root, result };
      } catch (e) {
        if (!HarnessError.is(e)) throw e;
        return { type: "refused", reason: e.reason, message: e.message };
      } finally {
        subscription.dispose();
      }
    },
  );
}

/** Needs no archive, and says something of a folder without a project. */
const alsoBare: EditorService = "diagnostics.list";

/**
 * The project that is asked about; without one a folder of the workspace that has an archive, as after `evotrainer import`.
 * Undefined where there is neither, or the service reads what only a project has.
 */
async function folderAsked(
  { index, folders }: Session,
  { asked, service }: { readonly asked: string | undefined; readonly service: EditorService },
): Promise<string | undefined> {
  const { projects } = index;
  const root = asked ?? projects[0];
  if (root !== undefined && projects.includes(root)) return root;
  const { isPlainService } = await import("../../engine/services/plainServices.ts");
  if (isPlainService(service) && service !== alsoBare) return undefined;
  for (const folder of asked === undefined ? folders : folders.filter((one) => one === asked))
    if ((await archiveStamp(folder)) !== undefined) return folder;
  return undefined;
}

interface Asked {
  readonly root: string;
  readonly service: EditorService;
  readonly params: unknown;
  readonly signal: AbortSignal;
}

/** The answer of the service; undefined where it needs an archive and there is none. @throws HarnessError */
async function answer(
  engines: Engines,
  { root, service, params, signal }: Asked,
): Promise<Result | undefined> {
  const { askPlain, handsArchiveOver, isPlainService } =
    await import("../../engine/services/plainServices.ts");
  if (!isPlainService(service)) {
    assertParams(service, params);
    return engines.ask(root, service, params, { signal });
  }
  assertParams(service, params);
  // Nobody comes here in a workspace that is not trusted.
  const ask = () => askPlain({ root, trusted: true }, service, params, { signal });
  return handsArchiveOver(service) ? engines.yieldTo(root, ask) : ask();
}
