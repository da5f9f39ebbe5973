import * as z from "zod";
import { element } from "./dom.ts";
import "./base.css";

// The strict policy of a page forbids code from texts; without this zod tries once and the console shows it.
z.config({ jitless: true });

/** What the editor gives a webview, once per page. */
declare function acquireVsCodeApi(): {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
};

/** A message without its envelope. */
type Unsent<T> = T extends unknown ? Omit<T, "protocol"> : never;

/** The extension as a view sees it. */
export type Host<From, Ui> = {
  readonly post: (message: Unsent<From>) => void;
  /** What the view keeps over a reload: navigation and the state of controls, nothing that can be asked for again. */
  readonly ui: Ui;
  readonly keep: (ui: Ui) => void;
  /** Whether the page was there before and something of it was kept. */
  readonly isBack: boolean;
};

export type ViewProtocol<To extends z.ZodType, Ui extends z.ZodType> = {
  readonly version: number;
  /** What the extension says; anything else is dropped. */
  readonly messages: To;
  /** What is kept, with its version: what an earlier release kept is dropped. */
  readonly kept: Ui;
  readonly fresh: z.output<Ui>;
};

/**
 * Starts a view: the one place that knows the editor's side. `open` draws the view and gives what receives messages; then the
 * extension hears that the view is ready. A fault of the view is shown in it instead of a page that stands still; its stack is
 * in the console. Colours come from the editor's variables alone, so that a change of theme needs no code.
 */
export function startView<To extends z.ZodType, Ui extends z.ZodType, From extends { readonly type: string }>(
  { version, messages, kept, fresh }: ViewProtocol<To, Ui>,
  open: (app: HTMLElement, host: Host<From, z.output<Ui>>) => (message: z.output<To>) => void,
): void {
  const app = document.getElementById("app");
  if (!app) return;
  showFaults(app);
  const api = acquireVsCodeApi();
  const before = kept.safeParse(api.getState());
  const isBack = before.success && before.data !== null;
  let ui = before.success ? before.data : fresh;
  const receive = open(app, {
    post: (message) => api.postMessage({ protocol: version, ...message }),
    get ui() {
      return ui;
    },
    keep: (next) => {
      ui = next;
      api.setState(next);
    },
    isBack,
  });
  window.addEventListener("message", (event: MessageEvent<unknown>) => {
    const message = messages.safeParse(event.data);
    if (message.success) receive(message.data);
  });
  api.postMessage({ protocol: version, type: "ready" });
}

/** Says above the view that something in it failed, once. */
function showFaults(app: HTMLElement): void {
  const said = element("p", "fault", "Something in this view failed. Close it and open it again.");
  said.setAttribute("role", "alert");
  const show = (): void => app.before(said);
  window.addEventListener("error", show);
  window.addEventListener("unhandledrejection", show);
}
