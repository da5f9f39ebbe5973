import * as z from "zod";
import {
  rolloutProtocol,
  RolloutUiState,
  ToRolloutView,
  type FromRolloutView,
  type RolloutState,
} from "../../../shared/protocol/rollout.ts";
import { connectHost } from "../shared/host.ts";
import "../shared/base.css";
import "./rollout.css";
import { createView } from "./render.ts";

// The strict policy of the page forbids code from texts; without this zod tries once and the console shows it.
z.config({ jitless: true });

type Unsent<T> = T extends unknown ? Omit<T, "protocol"> : never;

function start(app: HTMLElement): void {
  let state: RolloutState = { type: "loading" };
  const said = new Map<string, boolean>();
  const host = connectHost<FromRolloutView, RolloutUiState>((raw) => {
    const message = ToRolloutView.safeParse(raw).data;
    if (!message) return;
    switch (message.type) {
      case "said":
        said.set(message.label, message.labelled);
        break;
      case "noted":
        if (state.type === "rollout")
          state = { ...state, shown: { ...state.shown, notes: [...state.shown.notes, message.note] } };
        break;
      case "state":
        state = message.state;
        // What a person said last of a label is what stands.
        if (state.type === "rollout")
          for (const { label, labelled } of state.shown.said) said.set(label, labelled);
        break;
    }
    draw({ state, ui, said });
  });
  const kept = RolloutUiState.safeParse(host.kept).data;
  let ui: RolloutUiState = kept ?? {
    version: 1,
    raw: false,
    folded: [],
    turn: 0,
  };
  const post = (message: Unsent<FromRolloutView>): void =>
    host.post({ protocol: rolloutProtocol, ...message });
  const draw = createView(app, {
    isBack: kept !== undefined,
    show: (next) => {
      ui = next;
      host.keep(ui);
      draw({ state, ui, said });
    },
    copy: (text) => post({ type: "copy", text }),
    openDiagnostic: (label) => post({ type: "openDiagnostic", label }),
    openSource: () => post({ type: "openSource" }),
    compare: () => post({ type: "compare" }),
    showItem: () => post({ type: "showItem" }),
    save: () => post({ type: "export" }),
    note: (note) => post({ type: "note", note }),
    example: (label, expect) => post({ type: "example", label, expect }),
    say: (label, labelled) => post({ type: "label", label, labelled }),
  });
  draw({ state, ui, said });
  post({ type: "ready" });
}

const app = document.getElementById("app");
if (app) start(app);
