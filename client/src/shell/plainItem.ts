import type * as vscode from "vscode";
import { inBlock, inLine } from "../../../shared/words/unseen.ts";

type Shown = Pick<vscode.TreeItem, "label" | "description" | "tooltip" | "accessibilityInformation">;

/** The item of a tree with its texts as text; every tree passes its items through here. */
export function plainItem<T extends Shown>(item: T): T {
  if (typeof item.label === "string") item.label = inLine(item.label);
  if (typeof item.description === "string") item.description = inLine(item.description);
  if (typeof item.tooltip === "string") item.tooltip = inBlock(item.tooltip);
  if (item.accessibilityInformation !== undefined)
    item.accessibilityInformation = {
      ...item.accessibilityInformation,
      label: inLine(item.accessibilityInformation.label),
    };
  return item;
}
