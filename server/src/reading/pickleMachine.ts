import type { PickleInput } from "./pickleInput.ts";
import { isPlainName, PickledObject, plainValue } from "./pickledObject.ts";
import { noScalar, readDecimal, readScalar } from "./pickleScalars.ts";

export interface MachineLimits {
  readonly maxObjects: number;
  /** Bytes of one pickle. */
  readonly maxBytes: number;
  /** Objects that Python would build become `PickledObject`; otherwise the first one refuses the file. */
  readonly opaque: boolean;
}

const maxSparseMemo = 1_000_000;

type Dict = Record<string, unknown>;

/**
 * Runs the opcodes of one pickle (protocols 0 to 5) over plain data. There is no way from here to any code: a name in
 * the file stays a name.
 */
export class PickleMachine {
  /** A container was pushed a second time. */
  isShared = false;
  readonly #input: PickleInput;
  readonly #limits: MachineLimits;
  readonly #stack: unknown[] = [];
  readonly #marks: number[] = [];
  /** Pythons number what they remember from 0; what does not fit this is kept beside it. */
  readonly #memo: unknown[] = [];
  readonly #sparseMemo = new Map<number, unknown>();
  /** Of dicts with keys that are no strings: those keys, as they are written here. */
  readonly #otherKeys = new Map<object, Set<string>>();
  #objects = 0;
  /** Where the present opcode lies. */
  #at = 0;

  constructor(input: PickleInput, limits: MachineLimits) {
    this.#input = input;
    this.#limits = limits;
  }

  /** @throws HarnessError badInput */
  run(): unknown {
    const start = this.#input.position;
    for (;;) {
      this.#at = this.#input.position;
      if (this.#input.atEnd)
        this.#fail(this.#at === start ? "it is empty" : "it ends before its STOP (is it cut off?)");
      if (this.#at - start > this.#limits.maxBytes)
        this.#fail(`it is longer than ${this.#limits.maxBytes} bytes`);
      const op = this.#input.byte();
      if (op === 0x2e) return this.#pop();
      if (!this.#scalar(op) && !this.#container(op) && !this.#memory(op) && !this.#object(op))
        this.#fail(`it has an unknown opcode 0x${op.toString(16)}`);
    }
  }

  #fail(what: string): never {
    return this.#input.fail(what, this.#at);
  }

  #push(value: unknown): true {
    if (++this.#objects > this.#limits.maxObjects)
      this.#fail(`it has more than ${this.#limits.maxObjects} objects`);
    this.#stack.push(value);
    return true;
  }

  #pop(): unknown {
    if (this.#stack.length <= (this.#marks.at(-1) ?? 0)) this.#fail("it takes a value from an empty stack");
    return this.#stack.pop();
  }

  #peek(): unknown {
    if (this.#stack.length <= (this.#marks.at(-1) ?? 0)) this.#fail("it uses a value from an empty stack");
    return this.#stack.at(-1);
  }

  #popMark(): unknown[] {
    const mark = this.#marks.pop();
    if (mark === undefined) this.#fail("it closes a list that it did not open");
    return this.#stack.splice(mark);
  }

  #scalar(op: number): boolean {
    const value = readScalar(op, this.#input, this.#at);
    return value !== noScalar && this.#push(value);
  }

  #container(op: number): boolean {
    switch (op) {
      case 0x28: // MARK
        if (++this.#objects > this.#limits.maxObjects) this.#fail("it has too many marks");
        this.#marks.push(this.#stack.length);
        return true;
      case 0x5d: // EMPTY_LIST
      case 0x29: // EMPTY_TUPLE
      case 0x8f: // EMPTY_SET
        return this.#push([]);
      case 0x7d: // EMPTY_DICT
        return this.#push({});
      case 0x6c: // LIST
      case 0x74: // TUPLE
      case 0x91: // FROZENSET
        return this.#push(this.#popMark());
      case 0x85: // TUPLE1
        return this.#push([this.#pop()]);
      case 0x86: // TUPLE2
        return this.#push([this.#pop(), this.#pop()].reverse());
      case 0x87: // TUPLE3
        return this.#push([this.#pop(), this.#pop(), this.#pop()].reverse());
      case 0x64: {
        // DICT
        const items = this.#popMark();
        const dict = {};
        this.#setItems(dict, items);
        return this.#push(dict);
      }
      case 0x61: // APPEND
        return this.#append([this.#pop()]);
      case 0x65: // APPENDS
      case 0x90: // ADDITEMS
        return this.#append(this.#popMark());
      case 0x73: {
        // SETITEM
        const pair = [this.#pop(), this.#pop()].reverse();
        return this.#setItems(this.#peek(), pair);
      }
      case 0x75: {
        // SETITEMS
        const items = this.#popMark();
        return this.#setItems(this.#peek(), items);
      }
      default:
        return false;
    }
  }

  #append(items: readonly unknown[]): true {
    const target = this.#peek();
    if (target instanceof PickledObject) target.items ??= [];
    const list = target instanceof PickledObject ? target.items : target;
    if (!Array.isArray(list)) this.#fail("it appends to something that is not a list");
    for (const item of items) list.push(item);
    return true;
  }

  #setItems(target: unknown, items: readonly unknown[]): true {
    if (items.length % 2 === 1) this.#fail("it has a key without a value");
    if (!(target instanceof PickledObject) && !isDict(target))
      this.#fail("it sets a key of something that is not a dict");
    for (let i = 0; i < items.length; i += 2) {
      const [key, value] = [items[i], items[i + 1]];
      if (target instanceof PickledObject) (target.entries ??= []).push([key, value]);
      else this.#setKey(target, key, value);
    }
    return true;
  }

  #setKey(dict: Dict, key: unknown, value: unknown): void {
    const name = typeof key === "string" ? key : keyName(key);
    if (name === undefined) this.#fail("it has a dict key that is neither a text nor a number");
    const others = this.#otherKeys.get(dict);
    if (
      typeof key === "string"
        ? others?.has(name) === true
        : Object.hasOwn(dict, name) && others?.has(name) !== true
    )
      this.#fail(
        `it has a dict with the key ${JSON.stringify(name.slice(0, 40))} both as a text and as something else`,
      );
    if (typeof key !== "string") {
      if (others === undefined) this.#otherKeys.set(dict, new Set([name]));
      else others.add(name);
    }
    if (name === "__proto__")
      Object.defineProperty(dict, name, { value, enumerable: true, configurable: true, writable: true });
    else dict[name] = value;
  }

  #memory(op: number): boolean {
    const input = this.#input;
    switch (op) {
      case 0x80: // PROTO
        if (input.byte() > 5) this.#fail("it is of a protocol after 5");
        return true;
      case 0x95: // FRAME
        input.size(8);
        return true;
      case 0x30: // POP
        if (this.#stack.length !== this.#marks.at(-1)) this.#pop();
        else this.#marks.pop(); // It may drop a mark, too.
        return true;
      case 0x31: // POP_MARK
        this.#popMark();
        return true;
      case 0x32: // DUP
        return this.#again(this.#peek());
      case 0x67: // GET
        return this.#again(this.#recall(this.#index()));
      case 0x68: // BINGET
        return this.#again(this.#recall(input.byte()));
      case 0x6a: // LONG_BINGET
        return this.#again(this.#recall(input.size(4)));
      case 0x70: // PUT
        return this.#remember(this.#index());
      case 0x71: // BINPUT
        return this.#remember(input.byte());
      case 0x72: // LONG_BINPUT
        return this.#remember(input.size(4));
      case 0x94: // MEMOIZE
        return this.#remember(this.#memo.length + this.#sparseMemo.size);
      default:
        return false;
    }
  }

  #index(): number {
    const index = Number(readDecimal(this.#input, this.#at));
    return Number.isSafeInteger(index) && index >= 0 ? index : this.#fail("it has a bad memo index");
  }

  #remember(index: number): true {
    const value = this.#peek();
    if (index < this.#memo.length) this.#memo[index] = value;
    else if (index === this.#memo.length && this.#sparseMemo.size === 0) this.#memo.push(value);
    else if (this.#sparseMemo.size < maxSparseMemo) this.#sparseMemo.set(index, value);
    else this.#fail(`it remembers more than ${maxSparseMemo} values out of order`);
    return true;
  }

  #recall(index: number): unknown {
    if (index < this.#memo.length) return this.#memo[index];
    return this.#sparseMemo.has(index)
      ? this.#sparseMemo.get(index)
      : this.#fail(`it recalls value ${index}, which it did not store`);
  }

  #again(value: unknown): true {
    if (typeof value === "object" && value !== null) this.isShared = true;
    return this.#push(value);
  }

  /** Opcodes with which Python imports and calls. */
  #object(op: number): boolean {
    const input = this.#input;
    switch (op) {
      case 0x63: // GLOBAL
        return this.#push(this.#global(this.#nameLine(), this.#nameLine()));
      case 0x93: {
        // STACK_GLOBAL
        const [name, module] = [this.#pop(), this.#pop()];
        if (typeof name !== "string" || typeof module !== "string")
          this.#fail("it imports by something that is not a name");
        return this.#push(this.#global(module, name));
      }
      case 0x52: {
        // REDUCE
        const args = this.#pop();
        return this.#push(this.#call(this.#pop(), args));
      }
      case 0x81: {
        // NEWOBJ
        const args = this.#pop();
        return this.#push(this.#call(this.#pop(), args));
      }
      case 0x92: {
        // NEWOBJ_EX
        const [kwargs, args] = [this.#pop(), this.#pop()];
        return this.#push(this.#call(this.#pop(), args, kwargs));
      }
      case 0x69: {
        // INST
        const callee = this.#global(this.#nameLine(), this.#nameLine());
        return this.#push(this.#call(callee, this.#popMark()));
      }
      case 0x6f: {
        // OBJ
        const [callee, ...args] = this.#popMark();
        return this.#push(this.#call(callee, args));
      }
      case 0x62: {
        // BUILD
        const state = this.#pop();
        const target = this.#peek();
        if (!(target instanceof PickledObject)) this.#fail("it sets the state of plain data");
        target.state = state;
        return true;
      }
      case 0x82: // EXT1
        return this.#push(this.#global("copyreg.extension", String(input.byte())));
      case 0x83: // EXT2
        return this.#push(this.#global("copyreg.extension", String(input.size(2))));
      case 0x84: // EXT4
        return this.#push(this.#global("copyreg.extension", String(input.size(4))));
      case 0x50: // PERSID
        return this.#push(this.#persistent(input.line(1024).toString("latin1")));
      case 0x51: // BINPERSID
        return this.#push(this.#persistent(this.#pop()));
      case 0x97: // NEXT_BUFFER
      case 0x98: // READONLY_BUFFER
        return this.#fail("it keeps data outside the file (a buffer of protocol 5)");
      default:
        return false;
    }
  }

  #nameLine(): string {
    return this.#input.line(1024).toString("utf8");
  }

  #global(module: string, name: string): PickledObject {
    const full = `${module}.${name}`;
    if (!this.#limits.opaque && !isPlainName(full)) this.#refuseImport(full);
    return new PickledObject(full, null);
  }

  #persistent(id: unknown): PickledObject {
    if (!this.#limits.opaque) this.#fail("it refers to an object that is not in the file (a persistent id)");
    return new PickledObject("persistent_id", [id]);
  }

  #refuseImport(name: string): never {
    const shown = JSON.stringify(name.slice(0, 120)).slice(1, -1);
    return this.#fail(`it wants to import ${shown}, but EvoTrainer reads only plain data,`);
  }

  #call(callee: unknown, args: unknown, kwargs: unknown = null): unknown {
    if (!(callee instanceof PickledObject)) this.#fail("it calls something that is not a name");
    if (!Array.isArray(args)) this.#fail("it calls with something that is not a tuple");
    const list: readonly unknown[] = args;
    if (callee.args !== null)
      return new PickledObject(`(${callee.$global})`.slice(0, 1024), [callee, ...list], kwargs);
    const plain = plainValue(callee.$global, list);
    if (plain !== undefined) return plain;
    if (!this.#limits.opaque) this.#refuseImport(callee.$global);
    const [cls, ...rest] = list;
    // What protocols 0 and 1 call to build an object of a class: say the class.
    if (/^copy_?reg\.(_reconstructor|__newobj__)$/.test(callee.$global) && cls instanceof PickledObject)
      return new PickledObject(cls.$global, callee.$global.endsWith("_reconstructor") ? [] : rest, kwargs);
    return new PickledObject(callee.$global, [...list], kwargs);
  }
}

const isDict = (value: unknown): value is Dict =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** A key that is no text, as Python's `json.dumps` would write it. */
function keyName(key: unknown): string | undefined {
  if (key === null) return "null";
  if (typeof key === "number" || typeof key === "boolean" || typeof key === "bigint") return String(key);
  if (Buffer.isBuffer(key)) return key.toString("latin1");
  if (Array.isArray(key) && key.length < 20) {
    const parts = key.map((part: unknown) =>
      typeof part === "string" ? part : Array.isArray(part) ? undefined : keyName(part),
    );
    return parts.includes(undefined) ? undefined : `(${parts.join(", ")})`;
  }
  return undefined;
}
