/**
 * What is wrong with the line ends of a changed text, in a sentence: a text whose lines end in two ways is read differently by
 * different tools. One that was mixed before may stay so.
 */
export function lineEndProblem(path: string, before: string | null, after: string): string | undefined {
  const [was, is] = [before ?? "", after].map(lineEndsOf);
  if (was === undefined || is === undefined) return undefined;
  if (was.windows > 0 && was.windows === was.all)
    return is.windows < is.all
      ? `The change adds lines without Windows line ends to ${path}, whose lines all end with CRLF.`
      : undefined;
  return is.windows > was.windows || is.lone > was.lone
    ? `The change adds Windows line ends (CRLF) to ${path}; end its lines with LF.`
    : undefined;
}

function lineEndsOf(text: string): { readonly all: number; readonly windows: number; readonly lone: number } {
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  return { all: count(/\n/g), windows: count(/\r\n/g), lone: count(/\r(?!\n)/g) };
}
