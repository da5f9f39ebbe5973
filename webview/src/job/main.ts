import * as z from "zod";
import {
  jobProtocol,
  ToJobView,
  type FromJobView,
  type JobUiState,
  type JobViewModel,
} from "../../../shared/protocol/job.ts";
import { connectHost } from "../shared/host.ts";
import "../shared/base.css";
import "./job.css";
import { createView } from "./render.ts";

// The strict policy of the page forbids code from texts; without this zod tries once and the console shows it.
z.config({ jitless: true });

function start(app: HTMLElement): void {
  let state: JobViewModel = { type: "loading" };
  const host = connectHost<FromJobView, JobUiState>((raw) => {
    const message = ToJobView.safeParse(raw).data;
    if (!message) return;
    ({ state } = message);
    if (state.type === "job") host.keep({ version: 1, root: message.root, job: state.detail.job.id });
    draw(state);
  });
  const draw = createView(app, (action) => host.post({ protocol: jobProtocol, type: "action", action }));
  draw(state);
  host.post({ protocol: jobProtocol, type: "ready" });
}

const app = document.getElementById("app");
if (app) start(app);
