import { HarnessError } from "../../base/errors.ts";

/** What the ssh client says when trying again would not help. */
const refusals =
  /Permission denied|Host key verification failed|Bad configuration|REMOTE HOST IDENTIFICATION|ENOENT/;

/** The error for a connection that ended, from what the ssh client said. */
export function unreachable(host: string, said: string): HarnessError {
  const last =
    said
      .split("\n")
      .map((line) => line.replace(/\p{Cc}+/gu, " ").trim())
      .filter((line) => line !== "")
      .at(-1)
      ?.slice(0, 300) ?? "the connection ended";
  return refusals.test(said)
    ? new HarnessError(
        "hostRefused",
        `The host ${host} does not let us in: ${last}; log in once with your own ssh client, or run \`evotrainer doctor ${host}\`.`,
      )
    : new HarnessError(
        "hostUnreachable",
        `The host ${host} cannot be reached: ${last}; its jobs run on, try again later.`,
      );
}
