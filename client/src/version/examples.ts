import type * as vscode from "vscode";
import type { ExampleRollout, PanelQuestion, PartAnswer } from "../../../shared/protocol/views/version.ts";
import { askEngine, mapAnswer, type Answer } from "../connection/engineAnswer.ts";
import type { Server } from "../connection/languageClient.ts";

/** Rollouts among which those of different items are looked for, and how many of these are shown. */
const [mostRead, mostShown] = [100, 2];

type Question = Extract<PanelQuestion, { part: "examples" }>;

/** A few rollouts of a version with a label and an outcome, each of another item where there are so many. */
export async function askExamples(
  server: Server,
  { root, question }: { readonly root: string | undefined; readonly question: Question },
  token: vscode.CancellationToken,
): Promise<Answer<PartAnswer>> {
  const { part, ...query } = question;
  const at = root === undefined ? {} : { root };
  const params = { ...query, limit: mostRead };
  const found = await askEngine(server, { ...at, service: "rollouts.list", params }, token);
  if (found.type !== "answer") return found;
  const { rollouts } = found.value;
  const first = rollouts.filter(({ item }, i) => rollouts.findIndex((other) => other.item === item) === i);
  const rest = rollouts.filter((one) => !first.includes(one));
  const value: ExampleRollout[] = [];
  for (const { run, id, item } of [...first, ...rest].slice(0, mostShown)) {
    const { label } = query;
    const turn = label === undefined ? undefined : await firstTurn({ run, id, label });
    value.push({
      ...{ run, id, item },
      ...(label === undefined ? {} : { label }),
      ...(turn === undefined ? {} : { turn }),
    });
  }
  return mapAnswer(found, () => ({ part, value }));

  /** A rollout that cannot be read any more is shown without its turn. */
  async function firstTurn(of: { run: string; id: string; label: string }): Promise<number | undefined> {
    const asked = { ...at, service: "rollouts.show", params: { within: of.run, id: of.id } } as const;
    const shown = await askEngine(server, asked, token);
    return shown.type === "answer"
      ? shown.value.labels.find(({ label }) => label === of.label)?.turns[0]
      : undefined;
  }
}
