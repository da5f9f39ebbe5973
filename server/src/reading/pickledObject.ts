/**
 * What stands in a pickle for an object that Python would have built by calling something. Nothing was called or looked
 * up: these are the name and the data that the file gives, to be recognised by name or ignored.
 */
export class PickledObject {
  /** "numpy.core.multiarray.scalar". */
  readonly $global: string;
  /** What it would have been called with; null for the bare name of a class or function. */
  args: unknown[] | null;
  kwargs: unknown;
  /** What `__setstate__` would have been given; null when nothing. */
  state: unknown = null;
  /** What would have been appended to it, as to a deque. */
  items: unknown[] | null = null;
  /** What would have been set in it, as in an OrderedDict: pairs of key and value. */
  entries: [unknown, unknown][] | null = null;

  constructor($global: string, args: unknown[] | null, kwargs: unknown = null) {
    this.$global = $global;
    this.args = args;
    this.kwargs = kwargs;
  }
}

/** How the protocols before 4 write sets and bytes: plain data, though by the name of a function. */
const plainMakers: Readonly<Record<string, (args: readonly unknown[]) => unknown>> = {
  set: ([items = []]) => (Array.isArray(items) ? items : undefined),
  frozenset: ([items = []]) => (Array.isArray(items) ? items : undefined),
  bytes: ([text = ""]) => (text === "" ? Buffer.alloc(0) : undefined),
  bytearray: ([data = "", encoding = "latin-1"]) => (Buffer.isBuffer(data) ? data : latin1(data, encoding)),
  encode: ([text, encoding]) => latin1(text, encoding),
};
const plainNames = /^(?:builtins|__builtin__)\.(set|frozenset|bytes|bytearray)$|^_codecs\.(encode)$/;

/** The plain value that a call of this name stands for, or nothing. */
export function plainValue(name: string, args: readonly unknown[]): unknown {
  const match = plainNames.exec(name);
  return plainMakers[match?.[1] ?? match?.[2] ?? ""]?.(args);
}

export const isPlainName = (name: string): boolean => plainNames.test(name);

const latin1 = (text: unknown, encoding: unknown): Buffer | undefined =>
  typeof text === "string" && (encoding === "latin1" || encoding === "latin-1")
    ? Buffer.from(text, "latin1")
    : undefined;
