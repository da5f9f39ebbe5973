import { FoldingRangeKind, type SelectionRange } from "vscode-languageserver/node";
import { foldingRanges } from "../../features/foldingRanges.ts";
import { selectionRanges } from "../../features/selectionRanges.ts";
import type { Feature } from "./feature.ts";
import { asRange, openSpec } from "../session/session.ts";

export const rangesFeature: Feature = {
  capabilities: { foldingRangeProvider: true, selectionRangeProvider: true },
  register(session) {
    session.connection.onFoldingRanges(({ textDocument }) => {
      const open = openSpec(session, textDocument);
      if (!open) return [];
      return foldingRanges(open.context.spec).map(({ start, end, type }) => ({
        startLine: start,
        endLine: end,
        kind: type === "comment" ? FoldingRangeKind.Comment : FoldingRangeKind.Region,
      }));
    });
    session.connection.onSelectionRanges(({ textDocument, positions }) => {
      const open = openSpec(session, textDocument);
      if (!open) return [];
      return positions.map((position) => {
        const spans = selectionRanges(open.context.spec, open.document.offsetAt(position));
        // The innermost comes first and has the next one as its parent.
        const chain = spans.reduceRight<SelectionRange | undefined>(
          (parent, span) => ({ range: asRange(open.document, span), ...(parent && { parent }) }),
          undefined,
        );
        return chain ?? { range: { start: position, end: position } };
      });
    });
  },
};
