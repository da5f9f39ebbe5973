/** A line that begins a function or a class, in the languages that rewards and environments are written in. */
const definition =
  /^(?:(?:export|default|async|public|private|static|pub)\s+)*(?:def|class|function\*?|fn|func)\s+([A-Za-z_$][\w$]*)/;
const arrow =
  /^(?:export\s+)?(?:const|let)\s+([A-Za-z_$][\w$]*)\s*=\s*(?:async\s+)?(?:function\b|\([^()]*\)\s*=>|\w+\s*=>)/;

/** The names of the functions and classes that some lines are in, or begin: by how far the lines are indented. */
export function definitionsAround(lines: readonly string[], places: readonly number[]): string[] {
  return [...new Set(places.flatMap((place) => definitionAround(lines, place) ?? []))];
}

function definitionAround(lines: readonly string[], place: number): string | undefined {
  const line = lines[place] ?? "";
  if (line.trim() === "") return undefined;
  const own = nameIn(line);
  if (own !== undefined) return own;
  const indent = indentOf(line);
  for (let above = place - 1; above >= 0 && indent > 0; above--) {
    const text = lines[above] ?? "";
    const name = indentOf(text) < indent ? nameIn(text) : undefined;
    if (name !== undefined) return name;
  }
  return undefined;
}

function nameIn(line: string): string | undefined {
  const text = line.trimStart();
  return (definition.exec(text) ?? arrow.exec(text))?.[1];
}

const indentOf = (line: string): number => line.length - line.trimStart().length;
