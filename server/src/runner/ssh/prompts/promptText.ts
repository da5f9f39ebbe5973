import type { SshPrompt } from "../../../../../shared/protocol/views/prompt.ts";
import { inBlock } from "../../../base/plainText.ts";

const limit = 4000;

/** What ssh wants to know, from the text that it gives its helper and what SSH_ASKPASS_PROMPT says about it. */
export function readPrompt(text: string, hint: string): Pick<SshPrompt, "kind" | "text"> {
  // A server may choose words of these texts.
  const clean = inBlock(text.trim()).slice(-limit);
  if (hint === "none") return { kind: "notice", text: clean };
  if (hint === "confirm") return { kind: "confirm", text: clean };
  // ssh has no mark for these. "again" is what it says when the answer was neither.
  if (/\(yes\/no(\/\[fingerprint\])?\)\?$|^Please type 'yes', 'no'/.test(clean))
    return { kind: "hostKey", text: clean };
  return { kind: "secret", text: clean };
}

/** Whether an answer is one that ssh takes; another one to a question about a key would be asked again for ever. */
export function isUsable(kind: SshPrompt["kind"], answer: string): boolean {
  if (/[\0\n\r]/.test(answer) || Buffer.byteLength(answer) > 1000) return false;
  if (kind === "hostKey") return /^(yes|no|(SHA256|MD5):[\w:+/=-]+)$/i.test(answer);
  if (kind === "confirm") return /^(yes|no)$/.test(answer);
  return true;
}
