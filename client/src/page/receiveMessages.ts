import type * as vscode from "vscode";
import type { z } from "zod";
import { guarded } from "../shell/commands.ts";

export type Messages<From extends z.ZodType> = {
  readonly log: vscode.LogOutputChannel;
  /** The folder of the page in webview/src. */
  readonly view: string;
  /** The page as a person knows it. */
  readonly title: string;
  /** What the page may say. */
  readonly messages: () => From;
  readonly receive: (message: z.output<From>) => unknown;
};

/** Hands what a page says to its handler, behind the guard. What is none of its messages is logged and dropped. */
export function receiveMessages<From extends z.ZodType>(
  webview: vscode.Webview,
  { log, view, title, messages, receive }: Messages<From>,
): vscode.Disposable {
  return webview.onDidReceiveMessage((raw: unknown) =>
    guarded(log, title, () => {
      const message = messages().safeParse(raw);
      if (message.success) return receive(message.data);
      log.warn(`[${view}] dropped an unknown message`, message.error.message);
      return undefined;
    }),
  );
}
