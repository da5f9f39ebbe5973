import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { CancellationTokenSource, type ProtocolConnection } from "vscode-languageserver-protocol/node";
import { TextDocument, type TextDocumentContentChangeEvent } from "vscode-languageserver-textdocument";
import { below, fuzzPiece, fuzzProject, fuzzText, pick, wellFormed } from "./fuzzTexts.ts";
import type { workspace } from "./connect.ts";

type Random = () => number;

const requests: readonly string[] = [
  "textDocument/completion",
  "textDocument/hover",
  "textDocument/signatureHelp",
  "textDocument/definition",
  "textDocument/references",
  "textDocument/documentHighlight",
  "textDocument/documentSymbol",
  "textDocument/codeAction",
  "textDocument/codeLens",
  "textDocument/documentLink",
  "textDocument/formatting",
  "textDocument/rename",
  "textDocument/prepareRename",
  "textDocument/foldingRange",
  "textDocument/selectionRange",
  "textDocument/semanticTokens/full",
  "textDocument/semanticTokens/range",
  "textDocument/inlayHint",
  "textDocument/prepareCallHierarchy",
  "callHierarchy/incomingCalls",
  "callHierarchy/outgoingCalls",
  "textDocument/diagnostic",
  "workspace/diagnostic",
  "workspace/symbol",
  "workspace/executeCommand",
  "completionItem/resolve",
  "codeAction/resolve",
  "evotrainer/lineage",
  "nobody/knowsThis",
];

const strangeUris: readonly string[] = [
  "",
  "%",
  "file:///",
  "file:///%zz.diagnostic.yaml",
  "file:///no/such/folder/a.diagnostic.yaml",
  "file://another.machine/a.diagnostic.yaml",
  "untitled:Untitled-1",
  "http://example.invalid/evotrainer.yaml",
  "file:///%00.reward.yaml",
];

const strangeNumbers: readonly unknown[] = [-1, -1e9, 1e9, 2 ** 31, 0.5, null, "1", {}, [], true];
const strangeParams: readonly unknown[] = [
  null,
  [],
  {},
  "x",
  7,
  { textDocument: null },
  { textDocument: {} },
];

/** An editor that does what editors do, and much that they should not; it knows the texts that must result in the end. */
export class FuzzingEditor {
  readonly #documents = new Map<string, TextDocument>();
  readonly #random: Random;
  readonly #connection: ProtocolConnection;
  readonly #files: ReturnType<typeof workspace>;
  readonly #disk = new Map(Object.entries(fuzzProject));
  readonly #names = [...Object.keys(fuzzProject), "new.diagnostic.yaml", "sub/evotrainer.yaml", "other.yaml"];
  #answers: Promise<unknown>[] = [];
  /** How many messages it has sent. */
  sent = 0;

  constructor(random: Random, connection: ProtocolConnection, files: ReturnType<typeof workspace>) {
    this.#random = random;
    this.#connection = connection;
    this.#files = files;
  }

  /** A burst of random messages; ends when every request in it was answered, with a result or an error. */
  async burst(): Promise<void> {
    for (let n = 1 + below(this.#random, 30); n > 0; n--) this.#one();
    await Promise.all(this.#answers);
    this.#answers = [];
  }

  /** Leaves valid texts behind, and returns them: the open ones and those on the disk. */
  async settle(): Promise<ReadonlyMap<string, string>> {
    for (const [uri, document] of this.#documents) {
      const text = wellFormed(document.getText());
      const textDocument = { uri, version: 1_000_000 };
      this.#notify("didChange", { textDocument, contentChanges: [{ text }] });
      this.#documents.set(uri, TextDocument.create(uri, "", 1, text));
    }
    const changes = this.#names.map((name) => ({
      uri: this.#files.uri(name),
      type: this.#disk.has(name) ? 2 : 3,
    }));
    void this.#connection.sendNotification("workspace/didChangeWatchedFiles", { changes });
    await this.#connection.sendRequest("workspace/symbol", { query: "" }).catch(() => undefined);
    const texts = new Map(this.#disk);
    for (const name of this.#names) {
      const open = this.#documents.get(this.#files.uri(name));
      if (open) texts.set(name, open.getText());
    }
    return texts;
  }

  #one(): void {
    const random = this.#random;
    const kind = random();
    const uri = this.#uri();
    if (kind < 0.12) this.#open(uri);
    else if (kind < 0.5) this.#change(uri);
    else if (kind < 0.56) this.#close(uri);
    else if (kind < 0.58) this.#notify("didSave", { textDocument: { uri } });
    else if (kind < 0.64) this.#touchDisk();
    else if (kind < 0.66) this.#nonsense(uri);
    else if (kind < 0.67) this.#storm(uri);
    else this.#request(pick(random, requests), this.#paramsFor(uri));
  }

  #uri(): string {
    return this.#random() < 0.05
      ? pick(this.#random, strangeUris)
      : this.#files.uri(pick(this.#random, this.#names));
  }

  #notify(method: string, params: unknown): void {
    this.sent++;
    void this.#connection.sendNotification(`textDocument/${method}`, params);
  }

  #request(method: string, params: unknown, cancel = this.#random() < 0.1): void {
    this.sent++;
    const source = new CancellationTokenSource();
    const answer = this.#connection.sendRequest(method, params, source.token);
    this.#answers.push(answer.catch(() => undefined));
    if (cancel) source.cancel();
  }

  #open(uri: string): void {
    const text = fuzzText(this.#random);
    this.#notify("didOpen", {
      textDocument: { uri, languageId: "evotrainer-spec", version: below(this.#random, 9), text },
    });
    this.#documents.set(uri, TextDocument.create(uri, "", 1, text));
  }

  #change(uri: string): void {
    const random = this.#random;
    const document = this.#documents.get(uri);
    const changes: TextDocumentContentChangeEvent[] = [];
    for (let n = 1 + below(random, 3); n > 0; n--)
      changes.push(
        random() < 0.2
          ? { text: fuzzText(random) }
          : { range: this.#range(document), text: random() < 0.3 ? "" : fuzzPiece(random) },
      );
    // Some clients send versions that go back, stay the same or are missing.
    const version = random() < 0.1 ? -5 : random() < 0.1 ? null : 10;
    this.#notify("didChange", { textDocument: { uri, version }, contentChanges: changes });
    if (document) this.#documents.set(uri, TextDocument.update(document, changes, 2));
  }

  #close(uri: string): void {
    this.#notify("didClose", { textDocument: { uri } });
    this.#documents.delete(uri);
  }

  #touchDisk(): void {
    const name = pick(this.#random, this.#names);
    const uri = this.#files.uri(name);
    if (this.#random() < 0.2 && name !== "evotrainer.yaml") {
      rmSync(join(this.#files.root, name), { force: true });
      this.#disk.delete(name);
    } else {
      const text = wellFormed(fuzzText(this.#random));
      this.#files.write(name, text);
      this.#disk.set(name, text);
    }
    const type = this.#disk.has(name) ? 1 + below(this.#random, 2) : 3;
    void this.#connection.sendNotification("workspace/didChangeWatchedFiles", {
      changes: [{ uri, type: this.#random() < 0.05 ? 3 : type }],
    });
  }

  /** Invalid messages. */
  #nonsense(uri: string): void {
    const random = this.#random;
    const params = pick(random, strangeParams);
    switch (below(random, 6)) {
      case 0:
        this.#notify(pick(random, ["didOpen", "didChange", "didClose", "didSave"]), params);
        return;
      case 1:
        this.#notify("didChange", { textDocument: { uri, version: 3 }, contentChanges: [] });
        return;
      case 2:
        this.#request(pick(random, requests), params);
        return;
      case 3:
        void this.#connection.sendNotification("workspace/didChangeWatchedFiles", {
          changes: [{ uri: pick(random, strangeUris), type: pick(random, [0, 1, 2, 3, 9]) }],
        });
        return;
      case 4:
        void this.#connection.sendNotification("$/setTrace", params);
        return;
      default:
        void this.#connection.sendNotification(pick(random, ["nobody/knowsThis", "$/whatever"]), params);
        return;
    }
  }

  /** Requests that are cancelled before they can be answered. */
  #storm(uri: string): void {
    for (let n = 0; n < 100; n++) this.#request(pick(this.#random, requests), this.#paramsFor(uri), true);
  }

  #paramsFor(uri: string): object {
    const range = this.#random() < 0.1 ? this.#strangeRange() : this.#range(this.#documents.get(uri));
    const document = { textDocument: { uri }, position: range.start, range };
    const item = {
      name: "a",
      kind: 1,
      uri,
      range,
      selectionRange: range,
      data: pick(this.#random, strangeParams),
    };
    const diagnostic = {
      range,
      message: "x",
      source: "evotrainer",
      code: pick(this.#random, ["schema", "expression", "nothing", 3]),
      data: pick(this.#random, strangeParams),
    };
    return {
      ...document,
      positions: [range.start, range.end],
      context: { diagnostics: [diagnostic], includeDeclaration: true, triggerKind: 1 },
      newName: pick(this.#random, ["b", "", "Not a name", "ü"]),
      options: { tabSize: 2, insertSpaces: true },
      query: pick(this.#random, ["", "a", "𝔸"]),
      item,
      previousResultIds: [],
      command: "nothing",
    };
  }

  #range(document: TextDocument | undefined) {
    const random = this.#random;
    const at = (): { line: number; character: number } => ({
      line: below(random, (document?.lineCount ?? 5) + 2) - (random() < 0.02 ? 2 : 0),
      character: below(random, 40) - (random() < 0.02 ? 3 : 0),
    });
    const start = at();
    const end = random() < 0.1 ? at() : { line: start.line, character: start.character + below(random, 6) };
    return { start, end };
  }

  #strangeRange() {
    const at = () => ({
      line: pick(this.#random, strangeNumbers),
      character: pick(this.#random, strangeNumbers),
    });
    return { start: at(), end: at() };
  }
}

/** What a server asks an editor, and the editor's answers. */
export function answerServer(connection: ProtocolConnection, root: string): void {
  connection.onRequest("client/registerCapability", () => null);
  connection.onRequest("workspace/configuration", () => []);
  connection.onRequest("workspace/workspaceFolders", () => [{ uri: pathToFileURL(root).href, name: "x" }]);
  for (const what of ["codeLens", "inlayHint", "semanticTokens", "diagnostics"])
    connection.onRequest(`workspace/${what}/refresh`, () => null);
}
