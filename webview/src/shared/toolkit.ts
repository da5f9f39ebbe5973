import { provideVSCodeDesignSystem, vsCodeButton } from "@vscode/webview-ui-toolkit";

/** The toolkit is no longer developed: this is the one file that imports it, so that it can be swapped here. */
export function registerToolkit(): void {
  provideVSCodeDesignSystem().register(vsCodeButton());
}

/** A button of the editor's look. */
export function createButton(
  label: string,
  onClick: () => void,
  appearance: "primary" | "secondary",
): HTMLElement {
  const button = document.createElement("vscode-button");
  button.setAttribute("appearance", appearance);
  button.textContent = label;
  button.addEventListener("click", onClick);
  return button;
}
