import { fileURLToPath, pathToFileURL } from "node:url";
import {
  TextDocuments,
  type ClientCapabilities,
  type Connection,
  type Location,
  type Range,
} from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { Log } from "../../../base/log.ts";
import type { Effects } from "../../live/effect.ts";
import type { ProposalsKeeper } from "../../live/proposalsKeeper.ts";
import type { FeatureContext } from "../../symbols/featureContext.ts";
import { SpecIndex } from "../../specs/specIndex.ts";
import type { ParsedText, Span } from "../../syntax/parseSpec.ts";

/** What the handlers of one connection share. What the editor says at the start and later is written by `lifecycle.ts`. */
export type Session = {
  readonly connection: Connection;
  readonly log: Log;
  readonly documents: TextDocuments<TextDocument>;
  readonly index: SpecIndex;
  /** URIs as the editor writes them, of the files that are open in it, by path. */
  readonly openUris: Map<string, string>;
  client: ClientCapabilities;
  folders: readonly string[];
  trusted: boolean;
  /** Whether the editor tells what happens to files on disk. */
  watches: boolean;
  /** The editor asks for findings instead of being told. */
  pullsDiagnostics: boolean;
  /** The editor answers what ssh asks. */
  prompts: boolean;
  /** The editor shows code lenses by itself. */
  showsLenses: boolean;
  /** Hosts of the user's settings, as the editor told them last. */
  hosts: unknown;
  /** What the text of a file would do to the archive; nothing where nobody asked. */
  effectOf: Effects;
  /** Proposals of a project that wait for an answer and change a file; none where nobody asked. */
  proposalsOn: ProposalsKeeper["touching"];
  /** Done when the folders were searched for specs. */
  ready: Promise<void>;
};

export function makeSession(connection: Connection, log: Log): Session {
  return {
    connection,
    log,
    documents: new TextDocuments(TextDocument),
    index: new SpecIndex(),
    openUris: new Map(),
    client: {},
    folders: [],
    trusted: false,
    watches: false,
    pullsDiagnostics: false,
    prompts: false,
    showsLenses: false,
    hosts: undefined,
    effectOf: () => undefined,
    proposalsOn: () => [],
    ready: Promise.resolve(),
  };
}

/** The path of a file URI; undefined for what lies on no disk of this machine. */
export function pathOf(uri: string): string | undefined {
  try {
    return uri.startsWith("file:") ? fileURLToPath(uri) : undefined;
  } catch {
    // A file URI of another machine has no path here.
    return undefined;
  }
}

/** The URI of a path, as the editor writes it where the file is open. */
export function uriOf({ openUris }: Pick<Session, "openUris">, path: string): string {
  return openUris.get(path) ?? pathToFileURL(path).href;
}

export function asRange(document: TextDocument, { start, end }: Span): Range {
  return { start: document.positionAt(start), end: document.positionAt(end) };
}

/** Places in a text that is not open. */
export const asDocument = (text: string): TextDocument => TextDocument.create("", "", 0, text);

/** A spec that is open in the editor, for a handler; undefined for any other file, and for one that was closed meanwhile. */
export type OpenSpec = {
  readonly path: string;
  readonly document: TextDocument;
  readonly context: FeatureContext;
};

export function openSpec(session: Session, { uri }: { readonly uri: string }): OpenSpec | undefined {
  const path = pathOf(uri);
  const document = session.documents.get(uri);
  const context = path === undefined || !document ? undefined : session.index.featureContext(path);
  return path !== undefined && document && context ? { path, document, context } : undefined;
}

/** A place in any file, as a location of the editor; undefined for one that is gone. */
export function locationOf(
  session: Session,
  { file, span }: { readonly file: string; readonly span: Span },
): Location | undefined {
  const parsed = session.index.text(file);
  if (!parsed) return undefined;
  const document = placed.get(parsed) ?? asDocument(parsed.text);
  placed.set(parsed, document);
  return { uri: uriOf(session, file), range: asRange(document, span) };
}

/** Line starts of texts that do not change. */
const placed = new WeakMap<ParsedText, TextDocument>();

/** The same for many places; those that are gone are left out. */
export const locationsOf = (
  session: Session,
  places: readonly { readonly file: string; readonly span: Span }[],
): Location[] => places.map((place) => locationOf(session, place)).filter((place) => place !== undefined);
