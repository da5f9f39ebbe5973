import * as vscode from "vscode";
import type { EditorService } from "../../../shared/protocol/editorServices.ts";
import {
  commandOf,
  serviceViewNames,
  serviceViews,
  type ServiceViewName,
} from "../../../shared/words/serviceViews.ts";
import { registerCommand } from "../shell/commands.ts";
import { ServiceViewPanel, type ServiceViewDependencies } from "./serviceViewPanel.ts";

/** A view that names a service which the editor may not ask does not compile. */
const views: Readonly<Record<ServiceViewName, { readonly service: EditorService }>> = serviceViews;

/** Puts up every view that shows what one service answers. */
export function registerServiceViews(deps: ServiceViewDependencies): vscode.Disposable {
  return vscode.Disposable.from(
    ...serviceViewNames.flatMap((name) => {
      const panel = new ServiceViewPanel(name, views[name].service, deps);
      return [panel, registerCommand(deps.log, commandOf(name), () => panel.show())];
    }),
  );
}
