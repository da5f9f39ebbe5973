import { dateTime, plural } from "../../../shared/words/numbers.ts";
import type { HostCandidates, HostList, HostReport } from "../../../shared/protocol/views/hosts.ts";

const marks = { good: "ok  ", note: "note", bad: "BAD " } as const;
const origins = { project: "evotrainer.yaml", settings: "user settings", user: "your hosts.yaml" } as const;

/** A report as text: each finding, and below it what to do. */
export function reportText({ host, findings }: HostReport, at: Date): string {
  const wide = Math.max(0, ...findings.map(({ about }) => about.length));
  const lines = findings.flatMap(({ about, state, found, mend }) => [
    `${marks[state]}  ${about.padEnd(wide)}  ${found}`,
    ...(mend === null ? [] : wrapped(mend).map((line) => `${" ".repeat(6 + wide)}  ${line}`)),
  ]);
  return [`${host}, ${dateTime(at.getTime())}`, summary({ host, findings }), "", ...lines, ""].join("\n");
}

/** Lines that can be read without scrolling. */
function wrapped(text: string): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last !== "" && last.length + word.length >= 90) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines;
}

/** One sentence about a host. */
export function summary({ host, findings }: HostReport): string {
  const count = (state: string): number => findings.filter((f) => f.state === state).length;
  const [bad, notes] = [count("bad"), count("note")];
  const first = findings.find(({ state }) => state === "bad");
  if (first !== undefined) {
    const more = bad > 1 ? `, and ${bad - 1} more` : "";
    return `No job can run on ${host}: ${first.about}${more}.`;
  }
  return notes === 0
    ? `${host} has all that jobs need.`
    : `Jobs can run on ${host}; ${plural(notes, "one thing is", `${notes} things are`)} worth knowing.`;
}

export interface HostRow {
  readonly label: string;
  readonly description: string;
  readonly detail?: string;
  readonly name: string;
}

/** Hosts to choose from. */
export const knownRows = ({ hosts }: HostList): HostRow[] =>
  hosts.map(({ name, from, target, gpus, slurm }) => ({
    label: name,
    description: [target === name ? "" : target, gpus > 0 ? `${gpus} GPUs a job` : "", slurm ? "Slurm" : ""]
      .filter(Boolean)
      .join(" · "),
    detail: origins[from],
    name,
  }));

/** Hosts of ssh's configuration; those that have an entry already come last. */
export const candidateRows = ({ hosts }: HostCandidates): HostRow[] =>
  [...hosts]
    .sort((a, b) => Number(a.known !== null) - Number(b.known !== null))
    .map(({ ssh, target, jump, known }) => ({
      label: ssh,
      description: [target ?? "", jump === null ? "" : `through ${jump}`].filter(Boolean).join(" "),
      ...(known === null ? {} : { detail: `is ${known} already` }),
      name: ssh,
    }));
