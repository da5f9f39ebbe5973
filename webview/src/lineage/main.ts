import * as z from "zod";
import {
  lineageProtocol,
  LineageUiState,
  ToLineagePanel,
  type FromLineagePanel,
  type LineageState,
} from "../../../shared/protocol/lineage.ts";
import { connectHost } from "../shared/host.ts";
import { registerToolkit } from "../shared/toolkit.ts";
import "./lineage.css";
import { createView } from "./render.ts";

// The strict policy of the page forbids code from texts; without this zod tries once and the console shows it.
z.config({ jitless: true });

/** After this long without an answer the panel says so instead of going on to say that it reads. */
const patienceMs = 10_000;

const silent: LineageState = {
  type: "empty",
  reason: "stopped",
  cause: "The extension does not answer.",
  advice: "It may still be starting. If this stays, the log says why.",
  action: { label: "Show Log", id: "showLog" },
};

function start(app: HTMLElement): void {
  registerToolkit();
  let state: LineageState = { type: "loading" };
  const host = connectHost<FromLineagePanel, LineageUiState>((raw) => {
    const message = ToLineagePanel.safeParse(raw).data;
    if (!message) return;
    clearTimeout(patience);
    if (message.type === "reveal") show({ ...ui, selected: message.name });
    else {
      state = message.state;
      draw({ state, ui });
    }
  });
  let ui: LineageUiState = LineageUiState.safeParse(host.kept).data ?? {
    version: 1,
    layout: "graph",
    selected: null,
  };

  const show = (next: LineageUiState) => {
    ui = next;
    host.keep(ui);
    draw({ state, ui });
  };
  const draw = createView(app, {
    select: (name) => show({ ...ui, selected: name }),
    open: (name) => {
      show({ ...ui, selected: name });
      host.post({ protocol: lineageProtocol, verb: "notify", type: "select", name });
    },
    layout: (layout) => show({ ...ui, layout }),
    action: (action) => host.post({ protocol: lineageProtocol, verb: "notify", type: "action", action }),
  });
  const patience = setTimeout(() => {
    state = silent;
    draw({ state, ui });
  }, patienceMs);
  draw({ state, ui });
  host.post({ protocol: lineageProtocol, verb: "request", type: "state", id: 1 });
}

const app = document.getElementById("app");
if (app) start(app);
