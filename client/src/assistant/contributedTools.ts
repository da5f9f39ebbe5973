import * as z from "zod";

/** A tool as package.json contributes it; the server has the rest. */
export type ContributedTool = {
  readonly name: string;
  readonly displayName: string;
  /** A person confirms each call. */
  readonly writes: boolean;
};

/** The tag of a tool that changes something. */
const writingTag = "evotrainer-writes";

const Manifest = z.object({
  contributes: z.object({
    languageModelTools: z.array(
      z.object({ name: z.string(), displayName: z.string(), tags: z.array(z.string()) }),
    ),
  }),
});

/** The tools of the extension's own manifest. */
export function contributedTools(manifest: unknown): ContributedTool[] {
  return Manifest.parse(manifest).contributes.languageModelTools.map(({ name, displayName, tags }) => ({
    name,
    displayName,
    writes: tags.includes(writingTag),
  }));
}
