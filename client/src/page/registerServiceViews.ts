import * as vscode from "vscode";
import type { EditorService } from "../../../shared/protocol/editorServices.ts";
import {
  serviceViews,
  type ServiceView,
  type ServiceViewCommand,
} from "../../../shared/words/serviceViews.ts";
import { registerCommand } from "../shell/commands.ts";
import { ServiceViewPanel, type ServiceViewDependencies } from "./serviceViewPanel.ts";

/** A view that names a service which the editor may not ask does not compile. */
const views: Readonly<Record<ServiceViewCommand, ServiceView & { readonly service: EditorService }>> =
  serviceViews;

const isCommand = (id: string): id is ServiceViewCommand => Object.hasOwn(views, id);

/** Puts up every view that shows what one service answers. */
export function registerServiceViews(deps: ServiceViewDependencies): vscode.Disposable {
  return vscode.Disposable.from(
    ...Object.keys(views)
      .filter(isCommand)
      .flatMap((command) => {
        const panel = new ServiceViewPanel(views[command], deps);
        return [panel, registerCommand(deps.log, command, () => panel.show())];
      }),
  );
}
