import type { ServerCapabilities } from "vscode-languageserver/node";
import type { Session } from "../session/session.ts";

/** How one language feature is connected: what the server says that it can do, and the handlers behind that. */
export type Feature = {
  readonly capabilities: ServerCapabilities;
  readonly register: (session: Session) => void;
};
