/** A button of the editor's look; the toolkit, which every page loads first, draws it. */
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
