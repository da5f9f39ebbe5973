import { resolve } from "node:path";
import { counted, figure, pointsWithin } from "../../../../shared/words/numbers.ts";
import type { ResultOf } from "../../engine/services/services.ts";
import {
  exportSkill,
  importSkill,
  retireSkill,
  saveSkill,
  type KeptSkill,
} from "../../engine/skills/keepSkill.ts";
import { findProjectRoot } from "../../engine/workspace/workspace.ts";
import { chooseVersion, inspect } from "../terminal/inspect.ts";
import { paint, printResult, type Io } from "../terminal/io.ts";
import { table, wrap } from "../terminal/table.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";
import { proposedText } from "../review/propose.ts";

export const addSkills: AddVerb = (program, { io, cwd }) => {
  const skills = program
    .command("skills")
    .description(
      "changes that helped, with what came of each use: list, save, apply and retire them, or carry them to other projects",
    );
  skills
    .command("list", { isDefault: true })
    .description(
      "list the skills of the project, of your library and of kept versions, and which of them would help now",
    )
    .action(async () => list(io(), cwd));
  skills
    .command("show <name>")
    .description("show what a skill changes, what came of each use, and what it is expected to do next")
    .action(async (name: string) => show(io(), cwd, name));
  skills
    .command("save <version>")
    .description(
      "write the skill that a kept version proves into harness/skills; a version decided on one seed proves none",
    )
    .option("--name <name>", "its name; by default that of the intervention")
    .action(async (version: string, o: Given<{ name?: string }>) =>
      keep(io(), cwd, "saved", async (root) =>
        saveSkill(root, { version: await versionNamed(cwd, version), ...o }),
      ),
    );
  skills
    .command("apply <name>")
    .description(
      "propose the change of a skill; it waits for review, and the skill is held to what it expects",
    )
    .option("--on <version>", "the version to change; by default the one that the evolution continues from")
    .action(async (name: string, o: Given<{ on?: string }>) => apply(io(), cwd, name, o));
  skills
    .command("retire <name>")
    .description("take a skill out of use; its file says why")
    .requiredOption("--because <text>", "why")
    .action(async (name: string, o: { because: string }) =>
      keep(io(), cwd, "retired", (root) => retireSkill(root, { name, ...o })),
    );
  skills
    .command("export <name>")
    .description("write a skill with its record into your library, for other projects")
    .option("--to <file>", "write it into this file instead")
    .action(async (name: string, { to }: Given<{ to?: string }>) =>
      keep(io(), cwd, "exported", (root) =>
        exportSkill(root, { name, ...(to === undefined ? {} : { to: resolve(cwd, to) }) }),
      ),
    );
  skills
    .command("import <name>")
    .description("copy a skill from your library, or a *.skill.yaml file, into the project")
    .action(async (name: string) =>
      keep(io(), cwd, "imported", (root) => importSkill(root, { name, file: resolve(cwd, name) })),
    );
};

type SkillDetail = ResultOf<"skills.show">;
type SkillRow = SkillDetail["skill"];

/** `evotrainer skills list`. */
async function list(io: Io, cwd: string): Promise<void> {
  await inspect(cwd, async ({ engine }) => {
    const known = await engine.request("skills.list", {});
    const { version, offered } =
      known.version === null
        ? { version: null, offered: [] }
        : await engine.request("skills.offered", { trusted: true });
    const answers = new Map(offered.map((one) => [one.name, one.answers]));
    for (const { path, line, message } of known.problems) io.err(`${path}:${line}: ${message}\n`);
    const shown = { ...known, offered };
    printResult(io, shown, ({ skills, refused }) =>
      [
        ...(skills.length === 0
          ? ["There are no skills yet. You can save one from a version that was kept on two or more seeds."]
          : [
              table(
                [
                  ["skill", "from", "used", "came true", "expected", ""],
                  ...skills.map((skill) => [
                    skill.name,
                    skill.origin === "version" ? "kept version" : skill.origin,
                    `${skill.used}`,
                    `${skill.cameTrue}`,
                    expectedText(skill),
                    standingText(skill, answers.get(skill.name)),
                  ]),
                ],
                [],
                io,
              ),
            ]),
        ...skills.flatMap(({ name, origin, versions: [first] }) =>
          origin === "version" && first !== undefined
            ? [`${first} can become a skill: \`evotrainer skills save ${first}\` writes ${name}.`]
            : [],
        ),
        ...refused.map(({ version: of, because }) => `${of} cannot become a skill: ${because}`),
        ...(offered.length === 0 || version === null
          ? []
          : [`\`evotrainer skills apply <skill>\` proposes one that answers a finding of ${version}.`]),
      ].join("\n"),
    );
  });
}

/** `evotrainer skills show <name>`. */
async function show(io: Io, cwd: string, name: string): Promise<void> {
  await inspect(cwd, async ({ engine }) => {
    const detail = await engine.request("skills.show", { name });
    printResult(io, detail, (shown) => detailText(io, shown));
  });
}

function detailText(io: Io, { skill, because, source, edit, pooled, trials, open }: SkillDetail): string {
  const { name, factor, targets, description, metric } = skill;
  return [
    paint(io, "bold", name),
    ...(description === null ? [] : [wrap(description, io.columns)]),
    `for ${targets.join(", ")}${because === null ? "" : `, because ${because}`}`,
    ...edit.map(
      ({ file, path, from, to }) =>
        `${factor}: ${path}${file === null ? "" : ` in ${file}`}${from === undefined ? "" : ` from ${JSON.stringify(from)}`} to ${JSON.stringify(to)}`,
    ),
    ...(source === null ? [] : [`from ${source}`]),
    ...(skill.file === null ? ["not saved in a file yet"] : [skill.file]),
    standingText(skill, undefined),
    `used ${counted(skill.used, "time")}: ${skill.cameTrue} came true, ${skill.refuted} refuted, ${skill.insideNoise} inside the noise, ${open.length} open`,
    ...(pooled === null
      ? ["nothing was measured yet, so only a direction is expected"]
      : [
          `on average ${effectText(metric, pooled)} of ${metric}; the next use ${expectedText(skill)}, from ${counted(trials.length, "version")}`,
        ]),
    ...(trials.length === 0
      ? []
      : [
          table(
            [
              ["version", "domain", "against", "change", "outcome", ""],
              ...trials.map((one) => [
                one.version,
                one.domain,
                one.against ?? "",
                one.low === null || one.high === null
                  ? ""
                  : effectText(one.metric, { difference: one.change, low: one.low, high: one.high }),
                outcomes[one.outcome],
                one.used ? "use" : "proof",
              ]),
            ],
            [],
            io,
          ),
        ]),
    ...open.map((one) => `${one.version} (${one.domain}): ${one.because}`),
  ].join("\n");
}

const outcomes = { confirmed: "confirmed", refuted: "refuted", inside_noise: "inside the noise" } as const;

interface Effect {
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

const effectText = (metric: string, { difference, low, high }: Effect): string =>
  metric === "solve_rate"
    ? pointsWithin(difference, low, high)
    : `${figure(difference)} [${figure(low)}, ${figure(high)}]`;

const expectedText = ({ metric, expected }: SkillRow): string =>
  expected === null ? "not measured" : effectText(metric, expected);

/** Whether it is in use, where it holds, and whether it would help now. */
function standingText(
  { retired, shared, domains, alike, unfit }: SkillRow,
  answers: readonly string[] | undefined,
): string {
  if (retired !== null) return `retired: ${retired}`;
  const where =
    domains.length === 0
      ? "never confirmed"
      : shared
        ? `shared: ${domains.join(", ")}${alike.map((one) => `; ${one.domains.join(", ")} by ${one.name}`).join("")}`
        : `local to ${domains.join(", ")}`;
  if (answers !== undefined) return `${where}; answers ${answers.join(", ")}`;
  return unfit === null ? where : `${where}; ${unfit}`;
}

/** `evotrainer skills apply <name>`. */
async function apply(io: Io, cwd: string, name: string, { on }: { readonly on?: string }): Promise<void> {
  await inspect(cwd, async ({ engine, versions }) => {
    const made = await engine.request("skills.apply", {
      name,
      ...(on === undefined ? {} : { parent: chooseVersion(versions, on).name }),
    });
    printResult(io, made, ({ proposals, passedOver }) =>
      [...proposals.map(proposedText), ...passedOver].join("\n"),
    );
  });
}

const versionNamed = (cwd: string, asked: string): Promise<string> =>
  inspect(cwd, ({ versions }) => Promise.resolve(chooseVersion(versions, asked).name));

/** The verbs that write one file. */
async function keep(
  io: Io,
  cwd: string,
  done: "saved" | "exported" | "imported" | "retired",
  write: (root: string) => Promise<KeptSkill>,
): Promise<void> {
  const kept = await write(await findProjectRoot(cwd));
  printResult(
    io,
    kept,
    ({ name, file, validations }) =>
      `${name} is ${done}: ${file}, with ${counted(validations, "version")} that it was tried in.`,
  );
}
