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

type Notice = Extract<GateState, { type: "proposal" }>["notice"];

/** What was written has arrived, once: the same is told again with every change, when somebody may be writing the next answer. */
function arrived(notice: Notice, { heard }: GateUiState): Partial<GateUiState> {
  if (notice?.kind !== "done") return heard === undefined ? {} : { heard: undefined };
  return notice.text === heard ? {} : { form: "none", draft: "", heard: notice.text };
}

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
    keep({ ...(state.type === "proposal" ? arrived(state.notice, host.ui) : {}), key: message.key });
  };
}
