/** Lines that two texts do not have in common, as places in either, counted from 0. */
export interface LineDiff {
  readonly removed: readonly number[];
  readonly added: readonly number[];
}

/** Beyond this many differing lines the shortest way is not looked for: what lies between is replaced as a whole. */
const mostSteps = 1000;

/** The lines of a text, each with its line end. */
export function linesOf(text: string | null): string[] {
  return text === null || text === "" ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) ?? []);
}

/** The fewest lines that make one list of lines the other (Myers 1986). */
export function lineDiff(before: readonly string[], after: readonly string[]): LineDiff {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let [a, b] = [before.length, after.length];
  while (a > start && b > start && before[a - 1] === after[b - 1]) {
    a--;
    b--;
  }
  const [from, to] = [before.slice(start, a), after.slice(start, b)];
  const found = shortest(from, to) ?? { removed: [...from.keys()], added: [...to.keys()] };
  const moved = (places: readonly number[]): number[] => places.map((place) => place + start);
  return { removed: moved(found.removed), added: moved(found.added) };
}

/** Undefined where the two have too little in common. */
function shortest(a: readonly string[], b: readonly string[]): LineDiff | undefined {
  const offset = mostSteps + 1;
  const ends = new Int32Array(2 * offset + 1);
  const trace: Int32Array[] = [];
  for (let steps = 0; steps <= Math.min(mostSteps, a.length + b.length); steps++) {
    trace.push(ends.slice(offset - steps - 1, offset + steps + 2));
    for (let k = -steps; k <= steps; k += 2) {
      const [left, right] = [ends[offset + k - 1] ?? 0, ends[offset + k + 1] ?? 0];
      let x = k === -steps || (k !== steps && left < right) ? right : left + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      ends[offset + k] = x;
      if (x >= a.length && x - k >= b.length) return walkBack(trace, a.length, b.length);
    }
  }
  return undefined;
}

function walkBack(trace: readonly Int32Array[], a: number, b: number): LineDiff {
  const [removed, added]: [number[], number[]] = [[], []];
  let [x, y] = [a, b];
  for (let steps = trace.length - 1; steps > 0; steps--) {
    const at = (k: number): number => trace[steps]?.[k + steps + 1] ?? 0;
    const k = x - y;
    const isAdded = k === -steps || (k !== steps && at(k - 1) < at(k + 1));
    x = isAdded ? at(k + 1) : at(k - 1);
    y = x - (isAdded ? k + 1 : k - 1);
    if (isAdded) added.unshift(y);
    else removed.unshift(x);
  }
  return { removed, added };
}
