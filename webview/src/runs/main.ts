import {
  runsProtocol,
  RunsUiState,
  ToRunsView,
  type FromRunsView,
} from "../../../shared/protocol/views/runs.ts";
import { startView, type Host } from "../shared/startView.ts";
import "./runs.css";
import { createView } from "./render.ts";

const fresh: RunsUiState = { version: 1, jobs: [], smoothing: 0 };

startView(
  { version: runsProtocol, messages: ToRunsView, kept: RunsUiState, fresh },
  (app, host: Host<FromRunsView, RunsUiState>) => {
    const draw = createView(app, {
      get ui() {
        return host.ui;
      },
      smooth: (smoothing) => host.keep({ ...host.ui, smoothing }),
      choose: (jobs) => {
        host.keep({ ...host.ui, jobs: [...jobs] });
        host.post({ type: "ask", jobs: [...jobs] });
      },
      open: (job) => host.post({ type: "open", job }),
      cancel: (job) => host.post({ type: "cancel", job }),
    });
    draw({ type: "loading" });
    if (host.ui.jobs.length > 0) host.post({ type: "ask", jobs: host.ui.jobs });
    return ({ state }) => draw(state);
  },
);
