import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { webviewHtml } from "./webviewHtml.ts";

/** Puts the page of a view into a webview: nothing but its own script and style may be loaded. */
export function showPage(
  webview: vscode.Webview,
  extensionUri: vscode.Uri,
  view: string,
  title: string,
): void {
  const dist = vscode.Uri.joinPath(extensionUri, "dist");
  const address = (file: string): string => webview.asWebviewUri(vscode.Uri.joinPath(dist, file)).toString();
  webview.options = { enableScripts: true, localResourceRoots: [dist] };
  webview.html = webviewHtml(
    title,
    {
      scripts: [address("webview-toolkit.js"), address(`webview-${view}.js`)],
      style: address(`webview-${view}.css`),
      cspSource: webview.cspSource,
    },
    randomBytes(18).toString("base64url"),
  );
}

/** The icon of every panel of ours. */
export const panelIcon = (extensionUri: vscode.Uri): { light: vscode.Uri; dark: vscode.Uri } => ({
  light: vscode.Uri.joinPath(extensionUri, "media", "spec-light.svg"),
  dark: vscode.Uri.joinPath(extensionUri, "media", "spec-dark.svg"),
});
