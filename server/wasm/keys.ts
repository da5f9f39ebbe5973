// Keys and other words of the contract with the quote behind them, each compared at once.

/** Bytes of a word: 16 of text, 16 of mask, and its length. */
const size: usize = 40;
const table: usize = memory.data(40 * 34);

/** In the order in which writers put them, which makes the next key the first guess. */
export namespace RolloutKeys {
  export const first: i32 = 0;
  export const count: i32 = 21;
}
export namespace TurnKeys {
  export const first: i32 = 21;
  export const count: i32 = 7;
}
export namespace Splits {
  export const first: i32 = 28;
  export const count: i32 = 3;
}
export namespace Outcomes {
  export const first: i32 = 31;
  export const count: i32 = 3;
}

export function initKeys(): void {
  add(
    RolloutKeys.first,
    "id run split step item group sample outcome unknown_reason reward components stop_reason turns tokens ",
  );
  add(RolloutKeys.first + 14, "logprob_mean policy harness seed started_at duration_ms extra ");
  add(TurnKeys.first, "role text tool args ok tokens ms ");
  // In the order of evidence/choices.ts, which is how the columns count them.
  add(Splits.first, "audit selection train ");
  add(Outcomes.first, "fail pass unknown ");
}

/** Adds words that end with a space each. */
function add(first: i32, words: string): void {
  let word: usize = table + size * <usize>first;
  let letter: usize = word;
  for (let i: i32 = 0; i < words.length; i++) {
    const space = words.charCodeAt(i) == 0x20;
    store<u8>(letter, space ? 0x22 : <u8>words.charCodeAt(i));
    store<u8>(letter++, 0xff, 16);
    if (!space) continue;
    store<u32>(word, <u32>(letter - word), 32);
    word += size;
    letter = word;
  }
}

/** Whether a word, with the quote behind it, is what comes next. */
function isNext(at: usize, word: usize): bool {
  return !v128.any_true(v128.and(v128.xor(v128.load(at), v128.load(word)), v128.load(word, 16)));
}

/** The word that was found last, counted from the first of its kind. */
export let found: i32 = 0;

/** Passes one of some words in quotes, of which `hint` is tried first; 0 when it is none of them. */
export function readWord(at: usize, first: i32, count: i32, hint: i32): usize {
  if (load<u8>(at) != 0x22) return 0;
  let index = hint;
  for (let n: i32 = 0; n < count; n++) {
    if (index >= count) index = 0;
    const word = table + size * <usize>(first + index);
    if (isNext(at + 1, word)) {
      found = index;
      return at + 1 + load<u32>(word, 32);
    }
    index++;
  }
  return 0;
}
