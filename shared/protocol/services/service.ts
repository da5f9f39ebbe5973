import * as z from "zod";

/** `T` where it survives JSON unchanged; a bigint, a date, a map or a function in it does not compile. */
export type JsonSafe<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null
    ? T
    : T extends
          | bigint
          | symbol
          | Date
          | ReadonlyMap<unknown, unknown>
          | ReadonlySet<unknown>
          | Uint8Array
          | ((...args: never[]) => unknown)
      ? never
      : T extends object
        ? { [K in keyof T]: JsonSafe<Exclude<T[K], undefined>> | Extract<T[K], undefined> }
        : never;

/** `T` as those read it who must not change it. */
export type Frozen<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : { readonly [K in keyof T]: Frozen<T[K]> };

/** What the language server sends to the editor: the result of a service, or why there is none. */
export type EngineReply<R> =
  | { readonly type: "answer"; readonly root: string; readonly result: R }
  | { readonly type: "refused"; readonly reason: string; readonly message: string }
  | { readonly type: "noFolder" | "noProject" | "noArchive" | "untrusted" };

/** The schema of such a reply. */
export const engineReply = <T>(result: z.ZodType<T>): z.ZodType<EngineReply<T>> =>
  z.union([
    z.object({ type: z.literal("answer"), root: z.string(), result }),
    z.object({ type: z.literal("refused"), reason: z.string(), message: z.string() }),
    z.object({ type: z.enum(["noFolder", "noProject", "noArchive", "untrusted"]) }),
  ]);

/** What the contract says of one service. Each schema is built when it is first asked for, and then kept. */
export interface Service<
  P extends z.ZodType = z.ZodType,
  R = unknown,
  E extends boolean = boolean,
  X = unknown,
> {
  /** What it does, in one or two sentences, for the page of the protocol. */
  readonly says: string;
  /** Whether the editor may ask for it; the others are for the command line and the language server. */
  readonly editor: E;
  readonly params: P;
  readonly result: z.ZodType<R>;
  /** A part of the answer that is known before the end, as its progress reports have it. */
  readonly part: z.ZodType<X>;
  /** The result in the envelope in which the editor gets it. */
  readonly reply: z.ZodType<EngineReply<R>>;
}

/** One entry of the contract. A result that JSON does not carry does not compile. */
export function service<P extends z.ZodObject, R, const E extends boolean, X = never>(given: {
  readonly says: string;
  readonly editor: E;
  readonly params: () => P;
  readonly result: () => z.ZodType<R> & ([R] extends [JsonSafe<R>] ? unknown : never);
  readonly part?: () => z.ZodType<X>;
}): Service<P, R, E, X> {
  const { says, editor } = given;
  const made: Partial<{ -readonly [K in keyof Service<P, R, E, X>]: Service<P, R, E, X>[K] }> = {};
  return {
    says,
    editor,
    get params() {
      return (made.params ??= given.params());
    },
    get result(): z.ZodType<R> {
      return (made.result ??= given.result());
    },
    get part(): z.ZodType<X> {
      return (made.part ??= given.part?.() ?? z.never());
    },
    get reply() {
      return (made.reply ??= engineReply(this.result));
    },
  };
}
