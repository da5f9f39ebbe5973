import { commandOf, panelOf, serviceViews, titleOf } from "../shared/words/serviceViews.ts";

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function fieldsOf(fields: Fields, name: string): Fields {
  const found = fields[name];
  if (!isFields(found)) throw new Error(`package.json has no ${name}.`);
  return found;
}

function listOf(fields: Fields, name: string): readonly unknown[] {
  const found = fields[name];
  if (!Array.isArray(found)) throw new Error(`package.json has no list ${name}.`);
  return found;
}

/** The manifest with what the tools for language models and the views of one service contribute to it. */
export function contributed(
  manifest: unknown,
  tools: readonly object[],
  views: Readonly<Record<string, { readonly icon: string }>> = serviceViews,
): Fields {
  if (!isFields(manifest)) throw new Error("package.json is no object.");
  const contributes = fieldsOf(manifest, "contributes");
  const menus = fieldsOf(contributes, "menus");
  const names = Object.keys(views);
  const known = new Set<unknown>(names.map((name) => commandOf(name)));
  const without = (entries: readonly unknown[]): unknown[] =>
    entries.filter((entry) => !(isFields(entry) && known.has(entry["command"])));
  const events = names.map((name) => `onWebviewPanel:${panelOf(name)}`);
  return {
    ...manifest,
    activationEvents: [
      ...listOf(manifest, "activationEvents").filter((event) => !events.some((own) => own === event)),
      ...events,
    ],
    contributes: {
      ...contributes,
      commands: [
        ...without(listOf(contributes, "commands")),
        ...Object.entries(views).map(([name, { icon }]) => ({
          command: commandOf(name),
          title: titleOf(name),
          category: "EvoTrainer",
          icon: `$(${icon})`,
        })),
      ],
      menus: {
        ...menus,
        "view/title": [
          ...without(listOf(menus, "view/title")),
          ...names.map((name, i) => ({
            command: commandOf(name),
            when: "view == evotrainer.lineage",
            group: `2_views@${i + 1}`,
          })),
        ],
      },
      languageModelTools: tools,
    },
  };
}
