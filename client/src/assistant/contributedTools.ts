/** A tool as package.json contributes it; the server has the rest. */
export type ContributedTool = {
  readonly name: string;
  readonly displayName: string;
  /** A person confirms each call. */
  readonly writes: boolean;
};

/** The tag of a tool that changes something. */
const writingTag = "evotrainer-writes";

/** What is read of package.json. */
export type Manifest = {
  readonly contributes: {
    readonly languageModelTools: readonly {
      readonly name: string;
      readonly displayName: string;
      readonly tags: readonly string[];
    }[];
  };
};

/** The tools of the extension's own manifest. No schema of it is built: that would be at every start of the editor. */
export function contributedTools({ contributes }: Manifest): ContributedTool[] {
  return contributes.languageModelTools.map(({ name, displayName, tags }) => ({
    name,
    displayName,
    writes: tags.includes(writingTag),
  }));
}
