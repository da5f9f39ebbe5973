import { inputSchemaOf, tools } from "./tools.ts";

/** The tools as package.json contributes them to the editor's language models. */
export function contributionsOf(): object[] {
  return tools.map((tool) => ({
    name: tool.name,
    displayName: tool.title,
    userDescription: tool.description.split(/(?<=[.:]) /, 1)[0],
    modelDescription: tool.description,
    toolReferenceName: tool.name.replace("evotrainer_", "evotrainer-").replaceAll("_", "-"),
    canBeReferencedInPrompt: true,
    icon: "$(beaker)",
    when: "isWorkspaceTrusted",
    tags: ["evotrainer", ...(tool.writes ? ["evotrainer-writes"] : [])],
    inputSchema: inputSchemaOf(tool),
  }));
}
