import { HarnessError } from "../../base/errors.ts";
import type { Unanswered } from "./prompts/promptDesk.ts";

/** What the ssh client says when trying again would not help. */
const refusals =
  /Permission denied|Host key verification failed|Bad configuration|REMOTE HOST IDENTIFICATION|ENOENT/;

const causes: Readonly<Record<Unanswered, string>> = {
  left: "its question was not answered",
  late: "its question was not answered in time",
  tooMany: "it asks more than a login needs",
};

/**
 * The error for a connection that ended, from what the ssh client said and whether its questions were answered: `nobody`
 * when nobody was there to ask.
 */
export function unreachable(host: string, said: string, asked?: Unanswered | "nobody"): HarnessError {
  if (asked !== undefined && asked !== "nobody")
    return new HarnessError("hostRefused", `The host ${host} is not connected: ${causes[asked]}; try again.`);
  // In capitals in the middle of what it says; its last line is the same as for a host that is not known.
  const changed = /REMOTE HOST IDENTIFICATION HAS CHANGED/.exec(said)?.[0];
  const last =
    changed ??
    said
      .split("\n")
      .map((line) => line.replace(/\p{Cc}+/gu, " ").trim())
      .filter((line) => line !== "")
      .at(-1)
      ?.slice(0, 300) ??
    "the connection ended";
  if (!refusals.test(said))
    return new HarnessError(
      "hostUnreachable",
      `The host ${host} cannot be reached: ${last}. What runs there keeps running; try again later.`,
    );
  const advice =
    asked === "nobody" && changed === undefined && /Permission denied|Host key verification failed/.test(said)
      ? `ssh asks for a passphrase, a code or a new host key, but nobody was there to answer: run \`evotrainer doctor ${host}\` in a terminal, open the project in the editor, or load your key into an agent with ssh-add`
      : `log in once with your own ssh client, or run \`evotrainer doctor ${host}\``;
  return new HarnessError("hostRefused", `The host ${host} refused the login: ${last}; ${advice}.`);
}
