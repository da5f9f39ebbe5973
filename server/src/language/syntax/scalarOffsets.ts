/**
 * Where each character of a YAML scalar's value stands in its source: quoted, over several lines, or as a block, where
 * only white space differs. Undefined when an escape makes them differ in more.
 */
export function sourceOffsets(source: string, value: string): readonly number[] | undefined {
  const header = /^[|>][-+0-9]*[^\n]*\n/.exec(source);
  const quote = /^["']/.exec(source);
  let at = (header ?? quote)?.[0].length ?? 0;
  const offsets: number[] = [];
  for (let i = 0; i < value.length; i++) {
    const char = value.charAt(i);
    if (isSpace(char)) {
      // White space may be folded: it stands where the source goes on, or just before.
      offsets.push(at < source.length && isSpace(source.charAt(at)) ? at++ : Math.max(0, at - 1));
      continue;
    }
    while (at < source.length && isSpace(source.charAt(at))) at++;
    if (source.charAt(at) !== char) return undefined;
    offsets.push(at++);
  }
  return offsets;
}

const isSpace = (char: string) => /\s/.test(char);
