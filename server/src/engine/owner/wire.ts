import type { Socket } from "node:net";
import { SocketMessageReader, type Logger } from "vscode-jsonrpc/node";

/** Reads the messages of a socket. */
export function messageReader(socket: Socket): SocketMessageReader {
  const reader = new SocketMessageReader(socket);
  // Its timer starts itself again until the message is complete, and so for ever when the sender died in the middle: the
  // process would never end.
  reader.partialMessageTimeout = 0;
  return reader;
}

/** A connection tells its troubles by closing; there is nobody to read more. */
export const silentLogger: Logger = { error: () => {}, warn: () => {}, info: () => {}, log: () => {} };
