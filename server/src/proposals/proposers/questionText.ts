import { isTextSurface } from "../../../../shared/spec/surface.ts";
import { inBlock, inLine } from "../../base/plainText.ts";
import { untouchable } from "../../project/frozen/untouchable.ts";
import { noLinks } from "../../project/frozen/links.ts";
import { isText, valueSurfaces } from "../../project/surfaces.ts";
import type { ProposerQuestion } from "./proposer.ts";

type Asked = Pick<ProposerQuestion, "project" | "parent">;

/** Characters of files that a question holds; what does not fit is named. */
const mostCharacters = 60_000;

/** What every proposer that reads text is told: the version, what was found, what people said, and what it may change. */
export async function questionText(question: ProposerQuestion): Promise<string> {
  const { project, parent, findings, hints, count } = question;
  const { spec } = project;
  return [
    `# The question\n\nPropose at most ${count} ${count === 1 ? "change" : "changes"} of the version ${parent.name} of the project ${spec.name} (domain ${spec.domain}). The score that decides is ${spec.metric.name}.`,
    `## What was found\n\n${findings.map((f) => `- ${f.name} (${f.severity}): ${inLine(f.message)}`).join("\n") || "Nothing in particular."}`,
    ...(hints.length === 0
      ? []
      : [`## What people say\n\n${hints.map((hint) => `- ${inLine(hint)}`).join("\n")}`]),
    `## What may change\n\nOne change belongs to one factor.\n\n${surfacesText(question)}`,
    await filesText(question),
  ].join("\n\n");
}

function surfacesText({ project: { spec } }: Asked): string {
  const lines = spec.surfaces.map((surface) =>
    isTextSurface(surface)
      ? `- ${surface.factor}: the text of ${surface.files.join(", ")}`
      : `- ${surface.factor}: values in ${surface.file}${surface.paths === undefined ? "" : ` at or below ${surface.paths.join(", ")}`}`,
  );
  const frozen = spec.frozen.map(
    ({ file, paths }) => `- never: ${paths === undefined ? file : `${paths.join(", ")} in ${file}`}`,
  );
  return [...lines, ...frozen].join("\n");
}

async function filesText(question: Asked): Promise<string> {
  const parts = ["## The files as they are"];
  let left = mostCharacters;
  for (const path of await surfaceFiles(question)) {
    const text = (await question.parent.source.read(path)) ?? "";
    if (text.length > left) {
      parts.push(`### ${inLine(path)}\n\nIt has ${text.length} characters, too many to be shown here.`);
      continue;
    }
    left -= text.length;
    parts.push(`### ${inLine(path)}\n\n~~~~\n${inBlock(text)}\n~~~~`);
  }
  return parts.join("\n\n");
}

/** More of them are not listed. */
const mostFiles = 200;

/** The files of the surfaces that the version has, those with values first. */
async function surfaceFiles({ project: { spec }, parent }: Asked): Promise<string[]> {
  const links = (await parent.source.links?.()) ?? noLinks;
  const because = untouchable(spec, links);
  const texts = (links.held?.("") ?? [])
    .filter(({ kind, path }) => kind === "file" && isText(spec, path) && because(path) === undefined)
    .map(({ path }) => path)
    .sort();
  const values = valueSurfaces(spec).map(({ file }) => file);
  return [...new Set([...values, ...texts])].slice(0, mostFiles);
}
