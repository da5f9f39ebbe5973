import type { CallHierarchyItem } from "vscode-languageserver/node";
import { z } from "zod";
import { comesFrom, hierarchyAt, leadsTo } from "../../features/callHierarchy.ts";
import { symbolKinds, type Located } from "../../symbols/occurrence.ts";
import type { Feature } from "./feature.ts";
import { locationOf, openSpec, pathOf, type Session } from "../session/session.ts";
import { symbolKindOf } from "./symbolsFeature.ts";

/** What an item is, so that the server keeps nothing between two requests. */
const Data = z.object({ kind: z.enum(symbolKinds), name: z.string() });

export const callHierarchyFeature: Feature = {
  capabilities: { callHierarchyProvider: true },
  register(session) {
    const { callHierarchy } = session.connection.languages;
    callHierarchy.onPrepare(({ textDocument, position }) => {
      const open = openSpec(session, textDocument);
      if (!open) return null;
      return hierarchyAt(open.context, open.document.offsetAt(position)).flatMap((d) => asItem(session, d));
    });
    callHierarchy.onOutgoingCalls(({ item }) =>
      related(session, item, leadsTo).map((to) => ({ to, fromRanges: [item.selectionRange] })),
    );
    callHierarchy.onIncomingCalls(({ item }) =>
      related(session, item, comesFrom).map((from) => ({ from, fromRanges: [from.selectionRange] })),
    );
  },
};

function asItem(session: Session, definition: Located): CallHierarchyItem[] {
  const { name, kind } = definition;
  const place = locationOf(session, definition);
  if (!place) return [];
  return [
    {
      name,
      kind: symbolKindOf[kind],
      detail: kind,
      uri: place.uri,
      range: place.range,
      selectionRange: place.range,
      data: { kind, name },
    },
  ];
}

function related(session: Session, item: CallHierarchyItem, find: typeof leadsTo): CallHierarchyItem[] {
  const data = Data.safeParse(item.data).data;
  const file = pathOf(item.uri);
  if (!data || file === undefined) return [];
  const symbols = session.index.symbols(session.index.rootOf(file), file);
  return find(symbols, { ...data, file }).flatMap((definition) => asItem(session, definition));
}
