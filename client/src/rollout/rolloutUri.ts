import * as vscode from "vscode";
import { RolloutKey, type RolloutFocus } from "../../../shared/protocol/views/rollout.ts";
import { addressIn } from "../shell/addresses.ts";
import { FocusAddress } from "../shell/inputSchemas.ts";

const rolloutScheme = "evotrainer-rollout";

/** Where the editor has a rollout: the tab is named by the id, the query says of which project and run it is. */
export function rolloutUri(key: RolloutKey, focus?: RolloutFocus): vscode.Uri {
  return vscode.Uri.from({
    scheme: rolloutScheme,
    path: `/${encodeURIComponent(key.within)}/${encodeURIComponent(key.id)}`,
    query: JSON.stringify({ ...key, ...(focus === undefined ? {} : { focus }) }),
  });
}

/** The rollout of an address; undefined for one that is none of ours. `focus` is where reading starts. */
export function rolloutOf(
  uri: vscode.Uri,
): { readonly key: RolloutKey; readonly focus: RolloutFocus | null } | undefined {
  if (uri.scheme !== rolloutScheme) return undefined;
  const key = addressIn(uri, RolloutKey);
  return key && { key, focus: addressIn(uri, FocusAddress)?.focus ?? null };
}
