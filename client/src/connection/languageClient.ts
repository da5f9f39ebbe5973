import * as vscode from "vscode";
import type { LanguageClient, LanguageClientOptions } from "vscode-languageclient/node";
import {
  engineMethod,
  exampleMethod,
  ExampleReply,
  type ExampleParams,
  hostsMethod,
  lineageChangedMethod,
  lineageMethod,
  LineageReply,
  projectsMethod,
  ProjectsReply,
  reportMethod,
  ReportReply,
  toolMethod,
  ToolReply,
  trustGrantedMethod,
  versionMethod,
  type LensTarget,
  type LineageParams,
} from "../../../shared/protocol/lsp.ts";
import {
  replies,
  type EditorService,
  type ServiceParams,
  type ServiceResult,
} from "../../../shared/protocol/editorServices.ts";
import type { EngineReply } from "../../../shared/protocol/services/service.ts";
import {
  versionRequests,
  type VersionAsk,
  type VersionRequest,
  type VersionResult,
} from "../../../shared/protocol/versionRequests.ts";
import { promptMethod, PromptParams, type PromptReply } from "../../../shared/protocol/views/prompt.ts";

/** The language server as the rest of the extension sees it. */
export type Server = {
  readonly dispose: () => void;
  readonly start: () => Promise<void>;
  readonly restart: () => Promise<void>;
  readonly state: () => "starting" | "running" | "stopped";
  /** The lineage of a project in pages; after what the asker has, what changed. */
  readonly lineage: (params: LineageParams) => Promise<LineageReply>;
  /** What git says of a version. */
  readonly version: <N extends VersionRequest>(
    asked: AskedVersion<N>,
  ) => Promise<EngineReply<VersionResult<N>>>;
  /** What the engine of a project says. */
  readonly engine: <N extends EditorService>(
    asked: EngineQuestion<N>,
    token?: vscode.CancellationToken,
  ) => Promise<EngineReply<ServiceResult<N>>>;
  /** The folders of the workspace's projects. */
  readonly projects: () => Promise<readonly string[]>;
  /** What a code lens shows, as the text of a document. */
  readonly report: (what: "rollouts" | "backtest", target: LensTarget) => Promise<ReportReply>;
  /** The edit that makes a rollout an example of a diagnostic, or why there is none. */
  readonly example: (asked: ExampleParams) => Promise<ExampleReply>;
  /** Runs a tool for an assistant. */
  readonly tool: (name: string, input: unknown, token: vscode.CancellationToken) => Promise<ToolReply>;
  /** Who answers what ssh asks. */
  readonly onPrompt: (
    answer: (prompt: PromptParams, token: vscode.CancellationToken) => Promise<PromptReply>,
  ) => vscode.Disposable;
  /** The lineage may have changed, it is that of another project, or the server came up or went down. */
  readonly onChange: vscode.Event<void>;
};

/** A question to the engine of a project, the one that is shown when no folder is named. */
export type EngineQuestion<N extends EditorService> = {
  readonly root?: string;
  readonly service: N;
  readonly params: ServiceParams<N>;
};

/** A question about a version of a project. */
export type AskedVersion<N extends VersionRequest> = {
  readonly root?: string;
  readonly question: VersionAsk<N>;
};

/** Which project is asked when none is named; undefined for the first one of the workspace. */
export type ChosenProject = {
  readonly chosen: string | undefined;
  readonly onDidChange: vscode.Event<void>;
};

const clientOptions = (log: vscode.LogOutputChannel): LanguageClientOptions => ({
  documentSelector: [
    { scheme: "file", language: "evotrainer-spec" },
    { scheme: "file", pattern: "**/harness/**/*.{yaml,yml,json}" },
  ],
  outputChannel: log,
  initializationOptions: () => ({
    trusted: vscode.workspace.isTrusted,
    prompts: true,
    lenses: vscode.workspace.getConfiguration("editor").get("codeLens") !== false,
    hosts: hostsOfSettings(),
  }),
});

/**
 * Sets up the language server in a process of its own. It only reads, so that it may run in an untrusted workspace;
 * what would run git waits for trust. The only file that knows the protocol on this side.
 */
export function createServer(module: string, log: vscode.LogOutputChannel, project: ChosenProject): Server {
  const changed = new vscode.EventEmitter<void>();
  /** What is asked without naming a project is asked of the chosen one. */
  const ofProject = <T extends object>(asked: T): T & { readonly root?: string } =>
    project.chosen === undefined ? asked : { root: project.chosen, ...asked };
  const subscriptions: { readonly dispose: () => unknown }[] = [
    changed,
    // Whoever keeps something of the project that was shown lets go of it first.
    project.onDidChange(() => queueMicrotask(() => changed.fire())),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("evotrainer.hosts")) tell(hostsMethod, hostsOfSettings());
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => tell(trustGrantedMethod)),
  ];
  let answerPrompt: Parameters<Server["onPrompt"]>[0] | undefined;
  let made: LanguageClient | undefined;
  let making: Promise<LanguageClient> | undefined;
  let state: ReturnType<Server["state"]> = "starting";

  /** The client is most of what there is to load: the editor does not wait for it when it activates the extension. */
  const client = (): Promise<LanguageClient> =>
    (making ??= make().catch((e: unknown) => {
      making = undefined;
      state = "stopped";
      changed.fire();
      throw e;
    }));
  async function make(): Promise<LanguageClient> {
    await new Promise(setImmediate);
    const { LanguageClient: Client, State, TransportKind } = await import("vscode-languageclient/node");
    const options = { module, transport: TransportKind.ipc };
    const own = new Client(
      "evotrainer",
      "EvoTrainer",
      { run: options, debug: { ...options, options: { execArgv: ["--nolazy", "--inspect=6009"] } } },
      clientOptions(log),
    );
    made = own;
    subscriptions.push(
      own.onDidChangeState(({ oldState, newState }) => {
        if (own !== made) return;
        log.info(`[server] ${State[oldState]} -> ${State[newState]}`);
        state = newState === State.Running ? "running" : newState === State.Starting ? "starting" : "stopped";
        changed.fire();
      }),
      own.onNotification(lineageChangedMethod, () => changed.fire()),
      own.onRequest(promptMethod, (given: unknown, token: vscode.CancellationToken) => {
        if (answerPrompt === undefined)
          throw new Error("ssh asks a question, and nobody is here to answer it.");
        return answerPrompt(PromptParams.parse(given), token);
      }),
    );
    return own;
  }
  async function restart(): Promise<void> {
    const old = await client();
    if (!old.isRunning()) return old.start();
    try {
      await old.restart();
    } catch (e) {
      log.warn(`[server] ${e instanceof Error ? e.message : String(e)}; it is started again`);
      // A busy machine may need longer to end the old server than it is given. Its client still listens to it, and would
      // take its end for that of the new one.
      making = undefined;
      await (await client()).start();
    }
  }
  const tell = (method: string, params?: unknown): void => {
    if (made?.isRunning() === true) void made.sendNotification(method, params);
  };
  const ask = async (
    method: string,
    params?: unknown,
    token?: vscode.CancellationToken,
  ): Promise<unknown> => {
    const asked = await client();
    // A token that is undefined would be taken for a parameter.
    return token ? asked.sendRequest(method, params, token) : asked.sendRequest(method, params);
  };
  return {
    onChange: changed.event,
    projects: async () => ProjectsReply.parse(await ask(projectsMethod)).roots,
    start: async () => (await client()).start(),
    restart,
    state: () => state,
    lineage: async (params) => LineageReply.parse(await ask(lineageMethod, ofProject(params))),
    version: async <N extends VersionRequest>(asked: AskedVersion<N>) =>
      versionRequests[asked.question.ask].reply.parse(await ask(versionMethod, ofProject(asked))),
    engine: async <N extends EditorService>(asked: EngineQuestion<N>, token?: vscode.CancellationToken) =>
      replies[asked.service].reply.parse(await ask(engineMethod, ofProject(asked), token)),
    report: async (what, target) => ReportReply.parse(await ask(reportMethod, { ...target, what })),
    example: async (asked) => ExampleReply.parse(await ask(exampleMethod, asked)),
    tool: async (name, input, token) => ToolReply.parse(await ask(toolMethod, { name, input }, token)),
    onPrompt: (answer) => {
      answerPrompt = answer;
      return new vscode.Disposable(() => (answerPrompt = undefined));
    },
    dispose: () => {
      for (const subscription of subscriptions) subscription.dispose();
      void made?.dispose();
    },
  };
}

/** Hosts of the user alone: a workspace adds its own in evotrainer.yaml. */
function hostsOfSettings(): unknown {
  const found = vscode.workspace.getConfiguration("evotrainer").inspect("hosts");
  return found?.globalValue ?? {};
}
