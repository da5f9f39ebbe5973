import { connect } from "node:net";
import * as vscode from "vscode";
import type { PromptParams, PromptReply } from "../../../shared/protocol/views/prompt.ts";
import { dialogText, inputText } from "./promptText.ts";

/** Asks what an ssh client asks, and gives the answer to the engine over its socket: in no message that a log could hold. */
export async function askPrompt(
  { host, kind, text, repeated, address, token }: PromptParams,
  cancel: vscode.CancellationToken,
): Promise<PromptReply> {
  switch (kind) {
    case "notice":
      await showNotice(host, text, cancel);
      return { answered: false };
    case "hostKey": {
      const accept = "Trust and Connect";
      const { message, detail } = dialogText(`Is this the host ${host}?`, text);
      const given = await vscode.window.showWarningMessage(message, { modal: true, detail }, accept);
      return answered(given === accept ? "yes" : undefined);
    }
    case "confirm": {
      const { message, detail } = dialogText(`ssh asks for ${host}`, text);
      const given = await vscode.window.showWarningMessage(message, { modal: true, detail }, "Allow");
      return answered(given === "Allow" ? "yes" : undefined);
    }
    case "secret":
      return answered(await askSecret(host, text, repeated, cancel));
  }

  async function answered(answer: string | undefined): Promise<PromptReply> {
    if (answer === undefined || cancel.isCancellationRequested) return { answered: false };
    await give(address, token, answer);
    return { answered: true };
  }
}

function askSecret(
  host: string,
  text: string,
  repeated: boolean,
  cancel: vscode.CancellationToken,
): Promise<string | undefined> {
  const box = vscode.window.createInputBox();
  box.title = `Connect to ${host}`;
  box.prompt = inputText(text);
  box.placeholder = "EvoTrainer passes it to ssh and does not store it";
  box.password = true;
  box.ignoreFocusOut = true;
  if (repeated) {
    box.validationMessage = `ssh did not accept that. ${inputText(text)}`;
    box.onDidChangeValue(() => (box.validationMessage = undefined));
  }
  return new Promise((resolve) => {
    const done = (answer: string | undefined): void => {
      resolve(answer);
      stop.dispose();
      box.dispose();
    };
    const stop = cancel.onCancellationRequested(() => done(undefined));
    box.onDidAccept(() => done(box.value));
    box.onDidHide(() => done(undefined));
    box.show();
  });
}

/** Until it is taken back, which is when a key was touched or the connection ended. */
function showNotice(host: string, text: string, cancel: vscode.CancellationToken): Thenable<void> {
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: `${host}: ${inputText(text)}` },
    () => new Promise<void>((resolve) => void cancel.onCancellationRequested(() => resolve())),
  );
}

/** @throws Error when the connection has ended meanwhile */
function give(address: string, token: string, answer: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let taken = "";
    const socket = connect(address, () => socket.write(`${JSON.stringify({ token, answer })}\n`));
    socket.setEncoding("utf8");
    socket.on("data", (part: string) => (taken += part));
    socket.on("error", () => undefined);
    socket.on("close", () => {
      if (taken.includes("taken")) resolve();
      else reject(new Error("The connection ended before the answer came; connect again."));
    });
  });
}
