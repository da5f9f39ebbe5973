import * as z from "zod";
import {
  type FromGateCard,
  gateProtocol,
  GateUiState,
  ToGateCard,
  type GateState,
} from "../../../shared/protocol/gate.ts";
import { connectHost } from "../shared/host.ts";
import "../shared/base.css";
import "./gate.css";
import { createCard } from "./render.ts";

// The strict policy of the page forbids code from texts; without this zod tries once and the console shows it.
z.config({ jitless: true });

type Unsent<T> = T extends unknown ? Omit<T, "protocol"> : never;

function start(app: HTMLElement): void {
  let state: GateState = { type: "loading" };
  const host = connectHost<FromGateCard, GateUiState>((raw) => {
    const message = ToGateCard.safeParse(raw).data;
    if (!message) return;
    state = message.state;
    const { notice } = state.type === "proposal" ? state : { notice: null };
    // What was written has arrived.
    if (notice?.kind === "done") ui = { ...ui, form: "none", draft: "" };
    keep({ ...ui, key: message.key });
  });
  let ui: GateUiState = GateUiState.safeParse(host.kept).data ?? {
    version: 1,
    key: null,
    form: "none",
    draft: "",
    withWorkTree: false,
  };
  const post = (message: Unsent<FromGateCard>): void => host.post({ protocol: gateProtocol, ...message });
  const keep = (next: GateUiState): void => {
    ui = next;
    host.keep(ui);
    draw({ state, ui });
  };
  const draw = createCard(app, {
    post,
    show: (change) => keep({ ...ui, ...change }),
    // While somebody writes nothing is drawn again: the cursor would be lost.
    write: (draft) => {
      ui = { ...ui, draft };
      host.keep(ui);
    },
  });
  draw({ state, ui });
  post({ type: "ready" });
}

const app = document.getElementById("app");
if (app) start(app);
