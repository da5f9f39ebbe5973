/** What the editor gives a webview, once per page. */
declare function acquireVsCodeApi(): {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
};

/** The extension as a view sees it: typed messages out, unknown ones in. */
export type Host<Message, UiState> = {
  readonly post: (message: Message) => void;
  /** What was kept before a reload, for the caller to parse. */
  readonly kept: unknown;
  readonly keep: (state: UiState) => void;
};

export function connectHost<Message, UiState>(onMessage: (message: unknown) => void): Host<Message, UiState> {
  const api = acquireVsCodeApi();
  window.addEventListener("message", (event: MessageEvent<unknown>) => onMessage(event.data));
  return {
    post: (message) => api.postMessage(message),
    kept: api.getState(),
    keep: (state) => api.setState(state),
  };
}
