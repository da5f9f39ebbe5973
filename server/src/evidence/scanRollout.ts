import type { Outcome, Split } from "../../../shared/model/rollout.ts";
import type { Pairs } from "./nativeValues.ts";
import { JsonScanner } from "./scanJson.ts";

/** A key with the quote behind it. */
const keys = (names: string): Buffer[] => names.split(" ").map((name) => Buffer.from(`${name}"`));

/** In the order in which writers put them, which makes the next key the first guess. */
const fields = keys(
  "id run split step item group sample outcome unknown_reason reward components stop_reason turns tokens logprob_mean policy harness seed started_at duration_ms extra",
);
const required = (1 << fields.length) - 1 - (1 << 8) - (1 << 14);
const turnFields = keys("role text tool args ok tokens ms");

/** Texts of a rollout that are kept by their place: three numbers each, begin, end, and whether there are escapes. */
const placed = {
  item: 0,
  group: 3,
  unknownReason: 6,
  stopReason: 9,
  policy: 12,
  harness: 15,
  startedAt: 18,
} as const;
const placedTexts = 7;

/**
 * Numbers of a turn: role, text and tool by their place, then args, ok, tokens and ms. Arguments that are kept as they
 * stand have a begin and an end, others only their index in `args`.
 */
export const turnSize = 14;
export const turnSlots = {
  role: 0,
  text: 3,
  tool: 6,
  args: 9,
  argsEnd: 10,
  ok: 11,
  tokens: 12,
  ms: 13,
} as const;

const splits: readonly (readonly [Buffer, Split])[] = (["train", "selection", "audit"] as const).map(
  (name) => [Buffer.from(`"${name}"`), name],
);
const outcomes: readonly (readonly [Buffer, Outcome])[] = (["pass", "fail", "unknown"] as const).map(
  (name) => [Buffer.from(`"${name}"`), name],
);

const mostPairs = 64;

/**
 * A rollout as it lies in the bytes of its line. Bulk ingest reads lines with this first: it makes no objects, and takes
 * only lines that are in the contract beyond doubt. Any other line is for `parseRollout`, which decides and gives the
 * reason; a test holds the two together.
 */
export class RolloutScanner {
  readonly json = new JsonScanner();
  readonly at = placed;
  id = "";
  run = "";
  split: Split = "train";
  outcome: Outcome = "pass";
  readonly places = new Int32Array(3 * placedTexts);
  step = 0;
  sample = 0;
  reward = NaN;
  tokens = 0;
  /** NaN when there is none, as for the reward. */
  logprobMean = NaN;
  seed = 0;
  durationMs = 0;
  extra = "";
  readonly components: { count: number; readonly spans: Int32Array; readonly values: Float64Array } & Pairs =
    {
      count: 0,
      spans: new Int32Array(2 * mostPairs),
      values: new Float64Array(mostPairs),
    };
  turnCount = 0;
  /** `turnSize` numbers for each turn; NaN or -1 for what it does not have. */
  turns = new Float64Array(turnSize * 64);
  readonly args: string[] = [];
  #runBytes = Buffer.alloc(0);
  #extraText = "";

  /** Reads a line; false when it is not for this reader. */
  scan(bytes: Buffer): boolean {
    const { json } = this;
    if (bytes[0] !== 0x7b || !json.begin(bytes)) return false;
    json.at = 1;
    this.reward = this.logprobMean = NaN;
    this.places.fill(-1);
    let seen = 0;
    for (let hint = 0; ;) {
      const field = json.key(fields, hint);
      if (field < 0 || (seen & (1 << field)) !== 0) return false;
      seen |= 1 << field;
      if (!this.#field(field) || json.failed) return false;
      hint = field + 1 === fields.length ? 0 : field + 1;
      if (json.take(0x2c)) continue;
      if (!json.take(0x7d) || json.peek() !== 0 || json.at < bytes.length) return false;
      return (seen & required) === required && (this.outcome !== "unknown" || (seen & (1 << 8)) !== 0);
    }
  }

  #field(field: number): boolean {
    const { json } = this;
    switch (field) {
      case 0:
        return this.#id();
      case 1:
        return this.#run();
      case 2:
        return this.#split();
      case 3:
        return isCount((this.step = json.number()));
      case 4:
        return this.#place(placed.item, true);
      case 5:
        return this.#place(placed.group, true);
      case 6:
        return isCount((this.sample = json.number()));
      case 7:
        return this.#outcome();
      case 8:
        return this.#place(placed.unknownReason, true);
      case 9:
        return this.#reward();
      case 10:
        return this.#components();
      case 11:
        return this.#place(placed.stopReason, true);
      case 12:
        return this.#turns();
      default:
        return this.#origin(field);
    }
  }

  #origin(field: number): boolean {
    const { json } = this;
    switch (field) {
      case 13:
        return isCount((this.tokens = json.number()));
      case 14:
        this.logprobMean = json.number();
        return true;
      case 15:
        return this.#place(placed.policy, false);
      case 16:
        return this.#place(placed.harness, false);
      case 17:
        return Number.isSafeInteger((this.seed = json.number()));
      case 18:
        return this.#place(placed.startedAt, false);
      case 19:
        return (this.durationMs = json.number()) >= 0;
      default:
        return this.#extra();
    }
  }

  #place(slot: number, named: boolean): boolean {
    const { json, places } = this;
    if (!json.text() || (named && json.start === json.end)) return false;
    places[slot] = json.start;
    places[slot + 1] = json.end;
    places[slot + 2] = json.escaped ? 1 : 0;
    return true;
  }

  #id(): boolean {
    const { json } = this;
    if (!json.text() || json.escaped || json.start === json.end) return false;
    this.id = json.slice(json.start, json.end);
    return true;
  }

  /** Most lines are of the run of the line before. */
  #run(): boolean {
    const { json } = this;
    if (!json.text() || json.escaped || json.start === json.end) return false;
    const { bytes, start, end } = json;
    if (
      this.#runBytes.length !== end - start ||
      bytes.compare(this.#runBytes, undefined, undefined, start, end) !== 0
    ) {
      this.#runBytes = Buffer.from(bytes.subarray(start, end));
      this.run = json.slice(start, end);
    }
    return true;
  }

  #split(): boolean {
    const found = oneOf(this.json, splits);
    if (found === undefined) return false;
    this.split = found;
    return true;
  }

  #outcome(): boolean {
    const found = oneOf(this.json, outcomes);
    if (found === undefined) return false;
    this.outcome = found;
    return true;
  }

  #reward(): boolean {
    const { json } = this;
    if (json.peek() === 0x6e) return json.takeWord("null");
    this.reward = json.number();
    return true;
  }

  /** Names that an object would put in another order, or take for something else, are not for this reader. */
  #components(): boolean {
    const { json, components } = this;
    components.count = 0;
    if (!json.take(0x7b)) return false;
    if (json.take(0x7d)) return true;
    do {
      const { count, spans, values } = components;
      if (count === mostPairs || !json.text() || json.escaped || this.#isOddName() || !json.take(0x3a))
        return false;
      const value = json.number();
      if (json.failed) return false;
      values[count] = value;
      spans[2 * count] = this.#nameStart;
      spans[2 * count + 1] = this.#nameEnd;
      components.count = count + 1;
    } while (json.take(0x2c));
    return json.take(0x7d);
  }

  #nameStart = 0;
  #nameEnd = 0;

  #isOddName(): boolean {
    const { bytes, start, end } = this.json;
    this.#nameStart = start;
    this.#nameEnd = end;
    const first = bytes[start] ?? 0;
    if (start === end || first === 0x5f || (first >= 0x30 && first <= 0x39)) return true;
    const { count, spans } = this.components;
    for (let i = 0; i < count; i++) {
      const [from, to] = [spans[2 * i] ?? 0, spans[2 * i + 1] ?? 0];
      if (to - from === end - start && bytes.compare(bytes, from, to, start, end) === 0) return true;
    }
    return false;
  }

  #extra(): boolean {
    const { json } = this;
    json.peek();
    // Often the same on every line.
    if (this.#extraText !== "" && json.takeWord(this.#extraText)) return true;
    const from = json.at;
    const written = json.object();
    if (written === undefined) return false;
    this.extra = written;
    const text = json.slice(from, json.at);
    this.#extraText = text.length < 512 && /^[\x20-\x7e]*$/.test(text) ? text : "";
    return true;
  }

  #turns(): boolean {
    const { json } = this;
    this.turnCount = 0;
    this.args.length = 0;
    if (!json.take(0x5b)) return false;
    if (json.take(0x5d)) return true;
    do if (!this.#turn()) return false;
    while (json.take(0x2c));
    return json.take(0x5d);
  }

  #turn(): boolean {
    const { json } = this;
    const at = turnSize * this.turnCount++;
    if (at + turnSize > this.turns.length) {
      const larger = new Float64Array(2 * this.turns.length);
      larger.set(this.turns);
      this.turns = larger;
    }
    this.turns.fill(-1, at, at + turnSize);
    if (!json.take(0x7b)) return false;
    let seen = 0;
    for (let hint = 0; ;) {
      const field = json.key(turnFields, hint);
      if (field < 0 || (seen & (1 << field)) !== 0) return false;
      seen |= 1 << field;
      if (!this.#turnField(field, at) || json.failed) return false;
      hint = field + 1 === turnFields.length ? 0 : field + 1;
      if (json.take(0x2c)) continue;
      return json.take(0x7d) && (seen & 3) === 3;
    }
  }

  #turnField(field: number, at: number): boolean {
    const { json, turns } = this;
    switch (field) {
      case 0:
      case 1:
      case 2:
        if (!json.text()) return false;
        turns[at + 3 * field] = json.start;
        turns[at + 3 * field + 1] = json.end;
        turns[at + 3 * field + 2] = json.escaped ? 1 : 0;
        return true;
      case 3: {
        json.peek();
        const from = json.at;
        if (json.plainObject()) {
          turns[at + turnSlots.args] = from;
          turns[at + turnSlots.argsEnd] = json.at;
          return true;
        }
        const written = json.object();
        if (written === undefined) return false;
        turns[at + turnSlots.args] = this.args.push(written) - 1;
        return true;
      }
      case 4: {
        const isTrue = json.peek() === 0x74;
        turns[at + turnSlots.ok] = isTrue ? 1 : 0;
        return json.takeWord(isTrue ? "true" : "false");
      }
      case 5:
        return isCount((turns[at + turnSlots.tokens] = json.number()));
      default:
        return (turns[at + turnSlots.ms] = json.number()) >= 0;
    }
  }
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

function oneOf<T>(json: JsonScanner, values: readonly (readonly [Buffer, T])[]): T | undefined {
  json.peek();
  const { bytes, at } = json;
  for (const [text, value] of values) {
    let i = 0;
    while (i < text.length && bytes[at + i] === text[i]) i++;
    if (i < text.length) continue;
    json.at = at + i;
    return value;
  }
  return undefined;
}
