import type { LineageAction, LineageState, LineageUiState } from "../../../shared/protocol/lineage.ts";
import { element } from "../shared/dom.ts";
import { createButton } from "../shared/toolkit.ts";
import { detailsOf } from "./details.ts";
import { createGraph } from "./graph.ts";
import { createTable } from "./table.ts";

export type ViewModel = { readonly state: LineageState; readonly ui: LineageUiState };
export type Handlers = {
  readonly select: (name: string) => void;
  readonly open: (name: string) => void;
  readonly layout: (layout: LineageUiState["layout"]) => void;
  readonly action: (action: LineageAction) => void;
};

/** Draws the panel into an element and returns how to draw it again. Elements are kept from one drawing to the next. */
export function createView(app: HTMLElement, handlers: Handlers): (model: ViewModel) => void {
  const header = element("header");
  const title = element("h1");
  const tools = element("div", "tools");
  const graphButton = createButton("Graph", () => handlers.layout("graph"), "secondary");
  const tableButton = createButton("Table", () => handlers.layout("table"), "secondary");
  const refresh = createButton("Refresh", () => handlers.action("refresh"), "secondary");
  tools.append(graphButton, tableButton, refresh);
  header.append(title, tools);
  const message = element("section", "message");
  message.setAttribute("role", "status");
  const graph = createGraph(handlers);
  const table = createTable(handlers);
  const content = element("div", "content");
  const details = element("aside");
  app.replaceChildren(header, message, content, details);

  return ({ state, ui }) => {
    const lineage = state.type === "lineage" ? state.view : undefined;
    title.textContent = lineage ? `${lineage.project} · ${lineage.domain}` : "Lineage";
    tools.hidden = !lineage;
    message.hidden = lineage !== undefined;
    content.hidden = !lineage;
    if (state.type === "loading") message.replaceChildren(element("p", "", "Reading the lineage…"));
    if (state.type === "empty")
      message.replaceChildren(
        element("p", "cause", state.cause),
        element("p", "", state.advice),
        createButton(state.action.label, () => handlers.action(state.action.id), "primary"),
      );
    const selected = lineage?.versions.find(({ name }) => name === ui.selected);
    details.replaceChildren(...(selected ? [detailsOf(selected)] : []));
    if (!lineage) return;
    const shown = ui.layout === "graph" ? graph : table;
    if (content.firstChild !== shown.node) content.replaceChildren(shown.node);
    shown.update(lineage, ui.selected);
    for (const [button, layout] of [
      [graphButton, "graph"],
      [tableButton, "table"],
    ] as const)
      button.setAttribute("aria-pressed", String(ui.layout === layout));
  };
}
