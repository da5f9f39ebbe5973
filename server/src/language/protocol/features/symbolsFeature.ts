import { SymbolKind, type DocumentSymbol, type SymbolInformation } from "vscode-languageserver/node";
import { documentSymbols, type Outline } from "../../features/documentSymbols.ts";
import { workspaceSymbols } from "../../features/workspaceSymbols.ts";
import type { Feature } from "./feature.ts";
import { asRange, locationOf, openSpec, type OpenSpec } from "../session/session.ts";

const kinds = {
  mapping: SymbolKind.Object,
  list: SymbolKind.Array,
  text: SymbolKind.String,
  number: SymbolKind.Number,
  boolean: SymbolKind.Boolean,
  nothing: SymbolKind.Null,
} as const;

export const symbolKindOf = {
  label: SymbolKind.Event,
  metric: SymbolKind.Number,
  factor: SymbolKind.Enum,
  component: SymbolKind.Field,
  param: SymbolKind.Constant,
  intervention: SymbolKind.Method,
  skill: SymbolKind.Class,
  reward: SymbolKind.Struct,
  project: SymbolKind.Package,
  file: SymbolKind.File,
} as const;

export const symbolsFeature: Feature = {
  capabilities: { documentSymbolProvider: { label: "EvoTrainer" }, workspaceSymbolProvider: true },
  register(session) {
    const { connection, index } = session;
    connection.onDocumentSymbol(({ textDocument }) => {
      const open = openSpec(session, textDocument);
      return open ? documentSymbols(open.context.spec).map((symbol) => asSymbol(open, symbol)) : [];
    });
    connection.onWorkspaceSymbol(({ query }) => {
      const projects = index.projects.map((root) => index.symbols(root, root));
      return workspaceSymbols(projects, query).flatMap((found): SymbolInformation[] => {
        const location = locationOf(session, found);
        return location
          ? [{ name: found.name, kind: symbolKindOf[found.kind], location, containerName: found.kind }]
          : [];
      });
    });
  },
};

function asSymbol(
  open: OpenSpec,
  { name, detail, type, span, selection, children }: Outline,
): DocumentSymbol {
  return {
    name,
    detail,
    kind: kinds[type],
    range: asRange(open.document, span),
    selectionRange: asRange(open.document, selection),
    children: children.map((child) => asSymbol(open, child)),
  };
}
