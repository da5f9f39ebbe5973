import { chooseVersion, inspect } from "../terminal/inspect.ts";
import { printResult, type Io } from "../terminal/io.ts";

/** `evotrainer propose`: makes proposals that wait for `evotrainer review`. */
export async function propose(
  io: Io,
  cwd: string,
  options: {
    readonly proposer: string;
    readonly parent?: string;
    readonly intervention?: string;
    readonly count: number;
  },
): Promise<void> {
  await inspect(cwd, async ({ engine, versions }) => {
    const { proposer, count, intervention } = options;
    const made = await engine.request("proposals.make", {
      ...{ proposer, count, trusted: true },
      ...(intervention === undefined ? {} : { intervention }),
      ...(options.parent === undefined ? {} : { parent: chooseVersion(versions, options.parent).name }),
    });
    printResult(io, made, () =>
      made.proposals
        .map(
          (p) =>
            `${p.id} on ${p.parent}: ${p.title}\n  because ${p.because}\n  backtest: ${p.dropped ?? p.backtest}${p.dropped === null ? `\n  evotrainer review ${p.id} shows its hunks and takes an answer.` : ""}`,
        )
        .join("\n"),
    );
  });
}
