import * as z from "zod";

/** Request from the server to the editor: ssh asks its user something. The editor says `prompts` at the start if it answers. */
export const promptMethod = "evotrainer/prompt";

const promptKinds = ["secret", "hostKey", "confirm", "notice"] as const;

/**
 * What an ssh client asks while it connects. `secret`: a passphrase, password or code; `hostKey`: whether an unknown key is the
 * host's, answered by yes, no or its fingerprint; `confirm`: yes or no; `notice`: nothing, such as that a key has to be touched.
 */
export const SshPrompt = z.object({
  /** Name of the host among the project's. */
  host: z.string().max(300),
  kind: z.enum(promptKinds),
  /** As ssh has it; may have several lines, and no control characters. */
  text: z.string().max(4000),
  /** The same was asked before on this connection, so the last answer was wrong. */
  repeated: z.boolean(),
});
export type SshPrompt = z.infer<typeof SshPrompt>;

/**
 * The answer does not go back in the reply, which a trace of the protocol would write down: it goes, with the token and once, to
 * the socket at this address. A notice has none.
 */
export const PromptParams = SshPrompt.extend({ address: z.string(), token: z.string() });
export type PromptParams = z.infer<typeof PromptParams>;
export const PromptReply = z.object({ answered: z.boolean() });
export type PromptReply = z.infer<typeof PromptReply>;
