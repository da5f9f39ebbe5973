import {
  rolloutProtocol,
  RolloutUiState,
  ToRolloutView,
  type AlignedRollout,
  type FromRolloutView,
  type RolloutState,
} from "../../../shared/protocol/views/rollout.ts";
import { startView, type Host } from "../shared/startView.ts";
import "./rollout.css";
import "./turns.css";
import "./notes.css";
import { createView } from "./render.ts";

const fresh: RolloutUiState = { version: 1, raw: false, folded: [], turn: 0 };

startView({ version: rolloutProtocol, messages: ToRolloutView, kept: RolloutUiState, fresh }, open);

function open(
  app: HTMLElement,
  host: Host<FromRolloutView, RolloutUiState>,
): (message: ToRolloutView) => void {
  let state: RolloutState = { type: "loading" };
  const said = new Map<string, boolean>();
  let aligned: readonly AlignedRollout[] = [];
  const { post } = host;
  const drawAll = (): void => draw({ state, ui: host.ui, said, aligned });
  const draw = createView(app, {
    isBack: host.isBack,
    show: (next) => {
      host.keep(next);
      drawAll();
    },
    copy: (text) => post({ type: "copy", text }),
    openDiagnostic: (label) => post({ type: "openDiagnostic", label }),
    openSource: () => post({ type: "openSource" }),
    compare: () => post({ type: "compare" }),
    step: (by) => post({ type: "step", by }),
    align: () => post({ type: "align" }),
    unalign: () => {
      aligned = [];
      drawAll();
    },
    openOther: (run, id) => post({ type: "openOther", run, id }),
    showItem: () => post({ type: "showItem" }),
    save: () => post({ type: "export" }),
    note: (note) => post({ type: "note", note }),
    example: (label, expect) => post({ type: "example", label, expect }),
    say: (label, labelled) => post({ type: "label", label, labelled }),
  });
  drawAll();
  return (message) => {
    switch (message.type) {
      case "said":
        said.set(message.label, message.labelled);
        if (state.type === "rollout") {
          const others = state.shown.people.filter(({ label }) => label !== message.label);
          state = { ...state, shown: { ...state.shown, people: [...others, ...message.people] } };
        }
        break;
      case "noted":
        if (state.type === "rollout")
          state = { ...state, shown: { ...state.shown, notes: [...state.shown.notes, message.note] } };
        break;
      case "aligned":
        aligned = message.rollouts;
        break;
      case "state":
        state = message.state;
        // What a person said last of a label is what stands.
        if (state.type === "rollout")
          for (const { label, labelled } of state.shown.said) said.set(label, labelled);
        break;
    }
    drawAll();
  };
}
