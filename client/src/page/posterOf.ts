import type * as vscode from "vscode";

/** Posts to the page of a panel for as long as it is open: an answer may come after somebody has closed it. */
export function posterOf(panel: vscode.WebviewPanel): (message: object) => void {
  let isOpen = true;
  panel.onDidDispose(() => (isOpen = false));
  return (message) => {
    if (isOpen) void panel.webview.postMessage(message);
  };
}
