/** A view that shows what one service of the engine answers. */
export interface ServiceView {
  /** Its folder in webview/src. */
  readonly view: string;
  /** Of the command that opens it: `Show …`. */
  readonly title: `Show ${string}`;
  /** A codicon. */
  readonly icon: string;
  /** The one service that it may ask. */
  readonly service: string;
}

/**
 * Every view of this kind, by the command that opens it. To add one: its folder in webview/src, and its line here;
 * `npm run contributions` then writes its command into package.json.
 */
export const serviceViews = {
  "evotrainer.showItems": { view: "items", title: "Show Items", icon: "table", service: "versions.items" },
} as const satisfies Readonly<Record<`evotrainer.show${string}`, ServiceView>>;

export type ServiceViewCommand = keyof typeof serviceViews;

/** The list for who knows no command beforehand. */
export const allServiceViews: readonly (readonly [command: string, view: ServiceView])[] =
  Object.entries(serviceViews);

/** What the panel of a view is called: Items. */
export const panelTitle = ({ title }: ServiceView): string => title.replace(/^Show /, "");

/** The type of its panel, as package.json names it in `onWebviewPanel:`. */
export const panelType = ({ view }: ServiceView): string => `evotrainer.${view}`;
