import { join } from "node:path";
import { PromptDesk, type Answerer } from "../../runner/ssh/prompts/promptDesk.ts";
import { relayTo } from "./relay.ts";

/** Who can be asked by this process itself: the editor of a language server, the terminal of a verb. */
let own: { readonly answerer: Answerer; readonly desk: PromptDesk } | undefined;
const relays = new Map<string, PromptDesk>();

/** From now on questions of ssh clients that this process starts are put to `answerer`. */
export function attachAnswerer(answerer: Answerer): PromptDesk {
  const desk = deskOf(answerer);
  own = { answerer, desk };
  return desk;
}

/**
 * Where ssh clients for hosts of this project put their questions: to who is attached to this process, else to an editor that
 * has the project open, else to nobody.
 */
export function promptsFor(root: string): PromptDesk {
  if (own?.answerer.canAsk() === true) return own.desk;
  const desk = relays.get(root) ?? deskOf(relayTo(root));
  relays.set(root, desk);
  return desk;
}

const deskOf = (answerer: Answerer): PromptDesk =>
  new PromptDesk({ answerer, helper: join(folder(), "askpass.cjs") });

/** Beside the bundle, or where it is in the sources. */
const folder = (): string =>
  typeof __dirname === "string" ? __dirname : join(import.meta.dirname, "../../runner/ssh/prompts");
