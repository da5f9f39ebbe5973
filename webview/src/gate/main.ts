import {
  type FromGateCard,
  gateProtocol,
  GateUiState,
  ToGateCard,
  type GateState,
} from "../../../shared/protocol/views/gate.ts";
import { startView, type Host } from "../shared/startView.ts";
import "./gate.css";
import { createCard } from "./render.ts";

const fresh: GateUiState = { version: 1, key: null, form: "none", draft: "", withWorkTree: false };

startView({ version: gateProtocol, messages: ToGateCard, kept: GateUiState, fresh }, open);

function open(app: HTMLElement, host: Host<FromGateCard, GateUiState>): (message: ToGateCard) => void {
  let state: GateState = { type: "loading" };
  const keep = (change: Partial<GateUiState>): void => {
    host.keep({ ...host.ui, ...change });
    draw({ state, ui: host.ui });
  };
  const draw = createCard(app, {
    post: host.post,
    show: keep,
    // While somebody writes nothing is drawn again: the cursor would be lost.
    write: (draft) => host.keep({ ...host.ui, draft }),
  });
  draw({ state, ui: host.ui });
  return (message) => {
    state = message.state;
    const { notice } = state.type === "proposal" ? state : { notice: null };
    // What was written has arrived.
    const written = notice?.kind === "done" ? ({ form: "none", draft: "" } as const) : {};
    keep({ ...written, key: message.key });
  };
}
