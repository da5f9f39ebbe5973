import type { LabelByPeople } from "../../../shared/protocol/results/people.ts";
import { askEngine } from "./engineAnswer.ts";
import type { Server } from "./languageClient.ts";

/**
 * What people's answers say of the labels that they answered about, for lists that are whole without it: nothing where the archive
 * cannot be asked. Why it cannot is told where rollouts are listed.
 */
export async function peopleOnLabels(
  server: Server,
  root: string | undefined,
): Promise<readonly LabelByPeople[]> {
  const at = root === undefined ? {} : { root };
  const answer = await askEngine(server, { ...at, service: "rollouts.people", params: {} });
  return answer.type === "answer" ? answer.value.people : [];
}
