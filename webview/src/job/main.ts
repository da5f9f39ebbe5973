import { jobProtocol, JobUiState, ToJobView, type FromJobView } from "../../../shared/protocol/views/job.ts";
import { startView, type Host } from "../shared/startView.ts";
import "./job.css";
import { createView } from "./render.ts";

startView({ version: jobProtocol, messages: ToJobView, kept: JobUiState.nullable(), fresh: null }, open);

function open(app: HTMLElement, host: Host<FromJobView, JobUiState | null>): (message: ToJobView) => void {
  const draw = createView(app, (action) => host.post({ type: "action", action }));
  draw({ type: "loading" });
  return ({ root, state }) => {
    if (state.type === "job") host.keep({ version: 1, root, job: state.detail.job.id });
    draw(state);
  };
}
