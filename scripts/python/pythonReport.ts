/** A package of the virtual environment: its version, or why there is none. */
export interface Installed {
  readonly name: string;
  readonly version: string | null;
  readonly why: string | null;
}

export interface TestedFile {
  readonly file: string;
  readonly seconds: number;
  readonly passed: readonly string[];
  readonly skipped: readonly string[];
  readonly failed: readonly { readonly title: string; readonly message: string }[];
}

export interface PythonRun {
  readonly python: string;
  readonly processors: number;
  readonly packages: readonly Installed[];
  readonly tested: readonly TestedFile[];
  /** One run tested all files, without a break; otherwise some lines are of earlier runs. */
  readonly isWhole: boolean;
}

/** What is not tested without a package. */
const needs: Readonly<Record<string, string>> = {
  torch: "the trainer in PyTorch is not run",
  transformers: "the callback of TRL and the TRL example are not run",
  trl: "the TRL example is not run",
  tensorboard: "no event file is read that TensorBoard itself wrote",
  ray: "no job runs on a real Ray",
  "ray[default]": "no job runs on a real Ray, whose server of jobs is in its dashboard",
  pyarrow: "no Parquet file is read that pyarrow wrote",
  pyyaml: "the templates that read YAML are not run",
};

/** A sentence for each package that is not there: why, and what is not tested for want of it. */
export const missingLines = (packages: readonly Installed[]): readonly string[] =>
  packages
    .filter(({ name, version }) => version === null && Object.hasOwn(needs, name))
    .map(({ name, why }) => `${name} is missing (${plain(why ?? "no reason given")}), so ${needs[name]}.`);

/** In one line; the output of a failure may be long. */
function plain(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
  return line.length > 500 ? `${line.slice(0, 500)}…` : line;
}

/** What no command here runs, whatever is installed. */
const notRun = [
  "**verl and ROLL themselves**: they need GPUs. Their templates run with stand-ins that read the same settings and write files in their formats; `test/frameworkSchemas.test.ts` holds the names of the settings, and the entry points, against the frameworks' sources.",
  "**Ray on several nodes, and CUDA**: everything here runs on one machine, without a GPU.",
];

/** The report as Markdown; the same run gives the same text. */
export function reportText({ python, processors, packages, tested, isWhole }: PythonRun): string {
  const minutes = tested.reduce((sum, { seconds }) => sum + seconds, 0) / 60;
  const ran = isWhole
    ? `One run tested all files without a break, in ${minutes.toFixed(0)} minutes.`
    : "Some lines are of earlier runs: only some files were tested again.";
  const list = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ["", `## ${title}`, "", ...lines.map((line) => `- ${line}`)];
  return [
    "# Tests that need Python",
    "",
    `Written by \`npm run test:python\` with ${python} on ${processors} processors. ${ran}`,
    "",
    "| package | version |",
    "| --- | --- |",
    ...packages.map(({ name, version, why }) => `| ${name} | ${version ?? `– (${plain(why ?? "")})`} |`),
    "",
    "| test | passed | skipped | failed | seconds |",
    "| --- | --- | --- | --- | --- |",
    ...tested.map(
      ({ file, passed, skipped, failed, seconds }) =>
        `| ${file} | ${passed.length} | ${skipped.length} | ${failed.length} | ${seconds.toFixed(0)} |`,
    ),
    ...list("Missing", missingLines(packages)),
    ...list(
      "Failed",
      tested.flatMap(({ failed }) =>
        failed.map(({ title, message }) => `${plain(title)}: ${plain(message)}`),
      ),
    ),
    ...list(
      "Skipped",
      tested.flatMap(({ skipped }) => skipped.map(plain)),
    ),
    ...list("Not run", notRun),
    "",
  ].join("\n");
}
