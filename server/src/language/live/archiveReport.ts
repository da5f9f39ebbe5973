import { stringify } from "yaml";
import { peopleLinesOf, type ByPeople } from "../../../../shared/words/people.ts";
import type { ReportReply } from "../../../../shared/protocol/lsp.ts";
import type { AskEngine } from "./askEngine.ts";

const mostRollouts = 50;

/** The rollouts that carry a label, or what a spec would do to the archive: numbers as they are, for reading. */
export async function archiveReport(
  ask: AskEngine,
  asked: {
    readonly what: "rollouts" | "backtest";
    readonly root: string;
    /** A label, or the path of a spec. */
    readonly subject: string;
    readonly text: string | undefined;
  },
): Promise<ReportReply> {
  const { what, root, subject, text } = asked;
  const facts = await ask(root, "archive.facts", {});
  if (facts === undefined)
    return { title: subject, text: "There is no archive yet: nothing has been trained or imported.\n" };
  if (what === "rollouts") return rolloutsReport(ask, root, subject, facts);
  const title = `backtest of ${subject.slice(Math.max(subject.lastIndexOf("/"), subject.lastIndexOf("\\")) + 1)}`;
  if (text === undefined) return { title, text: "The spec no longer exists.\n" };
  const result = subject.endsWith(".reward.yaml")
    ? await ask(root, "backtest.reward", {
        path: subject,
        text,
        versions: facts.versions.map(({ name }) => name).slice(-3),
      })
    : await ask(root, "backtest.diagnostic", { path: subject, text });
  return { title, text: stringify(result), found: result };
}

/** The facts of an archive, as far as they are about labels. */
interface KnownLabels {
  readonly labels: Readonly<Record<string, { readonly last?: { readonly version: string } | undefined }>>;
  readonly tried?: readonly string[] | undefined;
  readonly people?: readonly ByPeople[] | undefined;
}

async function rolloutsReport(
  ask: AskEngine,
  root: string,
  label: string,
  { labels, tried, people = [] }: KnownLabels,
): Promise<ReportReply> {
  const version = labels[label]?.last?.version;
  const title = `rollouts with ${label}`;
  if (version === undefined)
    return {
      title,
      text:
        tried?.includes(label) === false
          ? "No rollout was labelled with it yet; `evotrainer diagnose` does it.\n"
          : "No rollout carries it yet.\n",
    };
  const pages = await Promise.all(
    (["selection", "train"] as const).map((split) =>
      ask(root, "rollouts.list", { version, split, label, limit: mostRollouts }),
    ),
  );
  const lines = pages.flatMap((page) =>
    (page?.rollouts ?? []).map(
      ({ run, id, item, outcome, stop_reason, reward }) =>
        `${run}/${id}\t${item}\t${outcome}\t${stop_reason ?? ""}\t${reward ?? ""}`,
    ),
  );
  const said = peopleLinesOf(people, label).map((line) => `# ${line}\n`);
  const head = `# ${label} in ${version}, at most ${mostRollouts} of each split\n${said.join("")}# rollout\titem\toutcome\tstop reason\treward\n`;
  return { title, text: `${head}${lines.join("\n")}\n` };
}
