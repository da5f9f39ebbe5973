/** A view that shows what one service of the engine answers. */
interface View {
  /** A codicon. */
  readonly icon: string;
  /** The one service that it may ask. */
  readonly service: string;
}

/**
 * Every view of this kind by its name, from which its folder in webview/src, its command and its panel are named. To add one:
 * the folder, and its line here; `npm run contributions` then writes its command into package.json.
 */
export const serviceViews = {
  Items: { icon: "table", service: "versions.items" },
  Predictions: { icon: "telescope", service: "lineage.predictions" },
  Replay: { icon: "debug-rerun", service: "lineage.replay" },
} as const satisfies Readonly<Record<string, View>>;

export type ServiceViewName = keyof typeof serviceViews;
/** The command that opens a view. */
export type ServiceViewCommand = `evotrainer.show${ServiceViewName}`;

const isName = (text: string): text is ServiceViewName => Object.hasOwn(serviceViews, text);
export const serviceViewNames: readonly ServiceViewName[] = Object.keys(serviceViews).filter(isName);

export const commandOf = <N extends string>(name: N) => `evotrainer.show${name}` as const;
export const titleOf = (name: string): string => `Show ${name}`;
/** Its folder in webview/src. */
export const folderOf = (name: string): string => name.toLowerCase();
/** The type of its panel, as package.json names it in `onWebviewPanel:`. */
export const panelOf = (name: string): string => `evotrainer.${folderOf(name)}`;
