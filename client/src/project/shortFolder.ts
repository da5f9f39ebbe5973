/** The end of a folder's path that no other of the folders has: in most cases its name. */
export function shortFolder(folder: string, all: readonly string[]): string {
  const parts = partsOf(folder);
  const others = all.filter((other) => other !== folder).map(partsOf);
  const end = (of: readonly string[], length: number): string => of.slice(-length).join("/");
  for (let length = 1; length <= parts.length; length++)
    if (others.every((other) => end(other, length) !== end(parts, length))) return end(parts, length);
  return folder;
}

const partsOf = (folder: string): readonly string[] => folder.split(/[/\\]/).filter((part) => part !== "");
