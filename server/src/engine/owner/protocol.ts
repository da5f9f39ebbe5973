import { ConnectionError, ErrorCodes, ProgressType, RequestType, ResponseError } from "vscode-jsonrpc/node";
import { z } from "zod";
import { HarnessError, messageOf, reasons } from "../../base/errors.ts";
import { release } from "../../base/release.ts";
import { OwnerClosing, OwnerLost } from "./loss.ts";
import { roles } from "./role.ts";

/**
 * JSON-RPC between the owner of an archive and who asks it. It is bumped when a message changes its meaning; `hello` and
 * its answer never do, so that two releases can at least tell each other what they are.
 */
export const protocolVersion = 1;

/** The first message of a client. */
export const Hello = z.object({ token: z.string(), protocol: z.int(), release: z.string() });
export type Hello = z.infer<typeof Hello>;

export const Welcome = z.object({
  pid: z.int(),
  role: z.enum(roles),
  protocol: z.int(),
  release: z.string(),
});
export type Welcome = z.infer<typeof Welcome>;

export const Call = z.object({
  name: z.string(),
  params: z.looseObject({}),
  progress: z.string().exactOptional(),
});
export type Call = z.infer<typeof Call>;

/** How far a request has come; `part` is a part of the answer, as the contract describes that of the service. */
export const progressReport = <X>(part: z.ZodType<X>) =>
  z.object({
    message: z.string(),
    done: z.number().exactOptional(),
    total: z.number().exactOptional(),
    part: part.exactOptional(),
  });

export const helloRequest = new RequestType<unknown, unknown, unknown>("engine/hello");
export const callRequest = new RequestType<unknown, unknown, unknown>("engine/call");
export const progressType = new ProgressType<unknown>();
/** The owner takes no more requests and will close as soon as those in flight are answered. */
export const closingNotification = "engine/closing";

export const codes = { harness: 1, fault: 2, closing: 3, refused: 4 } as const;

/** What goes over the wire for something that was thrown. */
export function encodeError(e: unknown): ResponseError<unknown> {
  if (e instanceof ResponseError) return e;
  if (OwnerClosing.is(e)) return new ResponseError(codes.closing, e.message);
  if (HarnessError.is(e)) return new ResponseError(codes.harness, e.message, { reason: e.reason });
  return new ResponseError(codes.fault, messageOf(e), { stack: e instanceof Error ? e.stack : undefined });
}

const HarnessData = z.object({ reason: z.enum(reasons) });
const FaultData = z.object({ stack: z.string() });

/** What is thrown at the caller for an error of its request. */
export function decodeError(e: unknown): unknown {
  if (!(e instanceof ResponseError)) return isLoss(e) ? new OwnerLost(e) : e;
  const { code, message } = e;
  const data: unknown = e.data;
  if (code === codes.closing) return new OwnerClosing();
  if (code === codes.harness) {
    const known = HarnessData.safeParse(data);
    if (known.success) return new HarnessError(known.data.reason, message);
  }
  if (isLoss(e)) return new OwnerLost(e);
  const fault = new Error(message);
  const stack = FaultData.safeParse(data);
  if (stack.success) fault.stack = `${stack.data.stack}\n    in the process that owns the archive`;
  return fault;
}

function isLoss(e: unknown): boolean {
  if (e instanceof ResponseError)
    return e.code === ErrorCodes.PendingResponseRejected || e.code === ErrorCodes.MessageWriteError;
  return e instanceof ConnectionError;
}

/** Whether two sides may work together: they run the same code. */
export function sameRelease(theirs: Pick<Hello, "protocol" | "release">): boolean {
  return theirs.protocol === protocolVersion && theirs.release === release;
}

/** @throws HarnessError releaseMismatch when the owner is of another release */
export function assertSameRelease({ pid, ...theirs }: Welcome): void {
  if (sameRelease(theirs)) return;
  const named = (side: Pick<Hello, "protocol" | "release">): string =>
    `evotrainer ${side.release} (protocol ${side.protocol})`;
  throw new HarnessError(
    "releaseMismatch",
    `The engine that owns this workspace's archive (pid ${pid}) is ${named(theirs)} and this is ${named({ protocol: protocolVersion, release })}; end that engine, or use the same release.`,
  );
}
