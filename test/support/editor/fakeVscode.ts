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
  readonly onDidChangeViewState = new EventEmitter<undefined>().event;
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
export const terminals: { close(): void }[] = [];
export const ThemeIcon = Object;

const nothing = (): { dispose: () => void } => ({ dispose: () => undefined });
export const ViewColumn = { Active: -1, Beside: -2 };
export const Uri = {
  joinPath: (...parts: unknown[]) => parts.join("/"),
  file: (path: string) => path,
  from: (parts: object) => parts,
};
export const window = {
  tabGroups: { all: [] },
  registerWebviewPanelSerializer: nothing,
  createWebviewPanel: (): FakePanel => {
    const panel = new FakePanel();
    panels.push(panel);
    return panel;
  },
  createTerminal: (options: { readonly pty: { open(): void; close(): void } }) => {
    options.pty.open();
    terminals.push(options.pty);
    return { show: () => undefined };
  },
  showErrorMessage: (message: string): Promise<undefined> => {
    failures.push(message);
    return Promise.resolve(undefined);
  },
};
/** What a command of the editor waits for. */
export const held: { commands: Promise<unknown> } = { commands: Promise.resolve() };
export const commands = { executeCommand: (): Promise<unknown> => held.commands };
export const workspace = {
  getConfiguration: () => ({ get: (_: string, usual: unknown): unknown => usual }),
  createFileSystemWatcher: () => ({ onDidChange: nothing, onDidCreate: nothing, ...nothing() }),
  onDidGrantWorkspaceTrust: nothing,
  onDidOpenTextDocument: nothing,
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
