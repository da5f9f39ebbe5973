import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join, posix } from "node:path";
import { exists } from "../../base/files.ts";
import { HarnessError } from "../../base/errors.ts";
import { shellWords } from "../../base/shellWords.ts";
import { yamlWord } from "../../base/yaml.ts";
import { projectFile } from "../../project/project.ts";
import { ProjectPath } from "../../../../shared/spec/common.ts";

/** The script that the template brings along, for who has none yet. */
const sample = "train.py";

/**
 * The words of a command line as `trainer.command` has them: it is started without a shell.
 * @throws HarnessError badInput for what only a shell can do
 */
export function commandWords(text: string): string[] {
  const tokens = shellWords(text);
  const shellOnly = tokens.find(({ type, expands }) => type === "operator" || expands);
  const said = shellOnly === undefined ? "" : text.slice(shellOnly.start, shellOnly.end);
  if (shellOnly !== undefined || /^[A-Za-z_]\w*=/.test(tokens[0]?.text ?? ""))
    throw new HarnessError(
      "badInput",
      `The command is started without a shell, so it cannot have ${JSON.stringify(said || tokens[0]?.text)}; write it into a script, and give --command "bash run.sh".`,
    );
  if (tokens.length === 0)
    throw new HarnessError("badInput", 'The command is empty; give one such as --command "python train.py".');
  return tokens.map((token) => token.text);
}

/** The files of a project that a command names, in its order. */
async function filesOf(command: readonly string[], folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const word of command)
    if (ProjectPath.safeParse(word).success && /\.\w+$/.test(word) && (await exists(join(folder, word))))
      found.push(word);
  return found;
}

/** The file with which the first script among these can write evidence, beside it; undefined for one in another language. */
function writerFor(files: readonly string[]): string | undefined {
  const script = files.find((file) => /\.(py|sh)$/.test(file));
  if (script === undefined) return undefined;
  const name = script.endsWith(".py") ? "evidence_writer.py" : "write_evidence.sh";
  return posix.join(posix.dirname(script), name);
}

interface Command {
  readonly command: string;
  /** The folder that becomes a project. */
  readonly target: string;
  readonly examples: string;
}

/**
 * Puts a command into the files of the template that lie in `stage`, with what its script writes evidence with, and leaves the
 * sample script out. The files of `target` that it names say how a version is measured. Returns them. @throws HarnessError badInput
 */
export async function withCommand(stage: string, { command, target, examples }: Command): Promise<string[]> {
  const words = commandWords(command);
  const files = await filesOf(words, target);
  const writer = writerFor(files);
  if (writer !== undefined) await cp(join(examples, "writers", basename(writer)), join(stage, writer));
  const path = join(stage, projectFile);
  const text = await readFile(path, "utf8");
  await writeFile(
    path,
    text
      .replace(/^( {2}command: )\[.*?\]/m, (_, key: string) => `${key}[${words.map(yamlWord).join(", ")}]`)
      .replace(new RegExp(`^ {4}- ${sample}\n`, "m"), () =>
        [...files, ...(writer === undefined ? [] : [writer])]
          .map((file) => `    - ${yamlWord(file)}\n`)
          .join(""),
      ),
  );
  await rm(join(stage, sample));
  return files;
}

/** What a script has to do, and what comes next, in lines. `files` are null where the sample script is used. */
export function scriptSteps(files: readonly string[] | null): string[] {
  if (files === null)
    return [
      "train.py is a whole trainer that runs at once; put yours in its place. The numbers in it mark what EvoTrainer needs.",
      "Next: cd there, run `evotrainer check`, then `evotrainer evolve`.",
    ];
  const writer = writerFor(files);
  return [
    writer === undefined
      ? "What your script has to do; docs/writing-evidence.md has writers for Python and the shell:"
      : `What your script has to do. It can write the lines with ${writer}, which begins with an example:`,
    "  1. Read what versions differ in from harness/settings.json. Put your own settings there, and name them in evotrainer.yaml.",
    "  2. Train on the split train if EVO_SPLITS names it, then try the items of the other splits in EVO_SPLITS.",
    "  3. Take EVO_SEED as its seed, start from EVO_POLICY_IN if it is set, and leave its policy at EVO_POLICY_OUT.",
    "  4. Write one line for each try into EVO_RUN_DIR/rollouts.jsonl, with pass or fail, and exit with 0.",
    ...(files.length === 0
      ? [
          "The command names no file that is here: name the files that say whether a try passes in evaluation.files of evotrainer.yaml.",
        ]
      : [`${files.join(", ")} stays the same in every version, because it says whether a try passes.`]),
    "data/*.jsonl hold sample items: put your own there, one line of JSON with an id for each.",
  ];
}
