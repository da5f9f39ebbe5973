/**
 * As much of the editor's interface as panels need, so that a test gives a page's messages and the engine's answers in whatever
 * order it likes. A closed panel fails like the editor's own.
 */
type Listener<T> = (value: T) => unknown;

export class EventEmitter<T> {
  readonly #listeners = new Set<Listener<T>>();
  readonly event = (listener: Listener<T>): { dispose: () => void } => {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  };
  fire(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }
  dispose(): void {
    this.#listeners.clear();
  }
}

export class Disposable {
  readonly dispose: () => void;
  constructor(dispose: () => void) {
    this.dispose = dispose;
  }
  static from(...parts: { dispose(): unknown }[]): Disposable {
    return new Disposable(() => {
      for (const part of parts) part.dispose();
    });
  }
}

export class CancellationTokenSource {
  readonly token = { isCancellationRequested: false };
  cancel(): void {
    this.token.isCancellationRequested = true;
  }
  dispose(): void {}
}

/** A panel with its page, which the test plays. */
export class FakePanel {
  visible = true;
  title = "";
  iconPath: unknown;
  readonly posted: unknown[] = [];
  readonly said = new EventEmitter<unknown>();
  readonly #disposed = new EventEmitter<undefined>();
  #isDisposed = false;
  readonly onDidDispose = this.#disposed.event;
  readonly viewed = new EventEmitter<undefined>();
  readonly onDidChangeViewState = this.viewed.event;
  get webview() {
    if (this.#isDisposed) throw new Error("Webview is disposed");
    return {
      html: "",
      options: {},
      cspSource: "",
      asWebviewUri: (uri: unknown) => uri,
      onDidReceiveMessage: this.said.event,
      postMessage: (message: unknown): Promise<boolean> => {
        this.posted.push(message);
        return Promise.resolve(true);
      },
    };
  }
  reveal(): void {
    this.visible = true;
  }
  dispose(): void {
    this.#isDisposed = true;
    this.#disposed.fire(undefined);
  }
}

/** Panels in the order in which they were opened, and what a person was told failed. */
export const panels: FakePanel[] = [];
export const failures: string[] = [];

/** What terminals show, in the order in which they were opened. */
export const terminals: { readonly name: string; readonly text: string; close(): void }[] = [];
type FakeTerminal = {
  readonly name: string;
  readonly pty: {
    readonly open: () => void;
    readonly close: () => void;
    readonly onDidWrite: EventEmitter<string>["event"];
    readonly onDidChangeName: EventEmitter<string>["event"];
  };
};
export const [ThemeIcon, ThemeColor, TreeItem] = [Object, Object, Object];
export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };
export const StatusBarAlignment = { Left: 1 };
export const ProgressLocation = { Window: 10 };

/** Who answers questions, and hears what is said. */
export const person: { answers: (asked: unknown) => Promise<unknown> } = {
  answers: () => Promise.resolve(undefined),
};

const nothing = (): { dispose: () => void } => ({ dispose: () => undefined });
export const ViewColumn = { Active: -1, Beside: -2 };
export const Uri = {
  joinPath: (...parts: unknown[]) => parts.join("/"),
  file: (path: string) => path,
  from: (parts: object) => ({ ...parts, toString: () => JSON.stringify(parts) }),
};
export const window = {
  tabGroups: { all: [] },
  registerWebviewPanelSerializer: nothing,
  registerTreeDataProvider: nothing,
  createTreeView: () => ({ ...nothing(), visible: true, onDidChangeVisibility: nothing }),
  createStatusBarItem: () => ({ ...nothing(), show: () => undefined, hide: () => undefined }),
  setStatusBarMessage: nothing,
  withProgress: (_: unknown, work: () => unknown) => work(),
  showQuickPick: (items: unknown) => person.answers(items),
  showInputBox: (asked: unknown) => person.answers(asked),
  showWarningMessage: (message: string) => person.answers(message),
  showInformationMessage: (message: string) => person.answers(message),
  createWebviewPanel: (): FakePanel => {
    const panel = new FakePanel();
    panels.push(panel);
    return panel;
  },
  createTerminal: ({ name, pty }: FakeTerminal) => {
    const terminal = { name, text: "", close: () => pty.close() };
    pty.onDidWrite((text) => (terminal.text += text));
    pty.open();
    pty.onDidChangeName((changed) => (terminal.name = changed));
    terminals.push(terminal);
    return { show: () => undefined };
  },
  showErrorMessage: (message: string): Promise<unknown> => {
    failures.push(message);
    return person.answers(message);
  },
};
/** What a command of the editor waits for. */
export const held: { commands: Promise<unknown> } = { commands: Promise.resolve() };
const registered = new Map<string, (...given: unknown[]) => unknown>();
/** Commands that were run and that nobody registered, but for those that only tell the editor something. */
export const ran: (readonly [string, unknown])[] = [];
export const commands = {
  executeCommand: async (id: string, ...given: unknown[]): Promise<unknown> => {
    const handler = registered.get(id);
    if (handler) return handler(...given);
    if (id !== "setContext") ran.push([id, given[0]]);
    return held.commands;
  },
  registerCommand: (id: string, handler: (...given: unknown[]) => unknown) => {
    registered.set(id, handler);
    return new Disposable(() => registered.delete(id));
  },
  getCommands: () => Promise.resolve([...registered.keys()]),
};
export const workspace = {
  getConfiguration: () => ({ get: (_: string, usual: unknown): unknown => usual }),
  createFileSystemWatcher: () => ({
    ...{ onDidChange: nothing, onDidCreate: nothing, onDidDelete: nothing },
    ...nothing(),
  }),
  onDidGrantWorkspaceTrust: nothing,
  onDidOpenTextDocument: nothing,
  registerTextDocumentContentProvider: nothing,
  textDocuments: new Array<{ readonly uri: unknown }>(),
};
export const [Position, Range, MarkdownString] = [Object, Object, Object];
export const CommentMode = { Preview: 1 };
export const CommentThreadCollapsibleState = { Expanded: 1 };
/** Comments at the lines of documents, as long as they are there. */
export const threads = new Set<object>();
export const comments = {
  createCommentController: () => ({
    createCommentThread: (uri: unknown) => {
      const thread = { uri, dispose: () => threads.delete(thread) };
      threads.add(thread);
      return thread;
    },
    ...nothing(),
  }),
};
