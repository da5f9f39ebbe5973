import type { EvolutionReport, ReportedVersion } from "../../../../shared/report/evolutionReport.ts";
import { count, counted } from "../../../../shared/words/numbers.ts";

const crate = "https://w3id.org/ro/crate/1.1";
const profile = "https://w3id.org/ro/wfrun/process/0.5";

/** An entity of the graph; its properties are texts, references or lists of these. */
export interface Entity {
  readonly "@id": string;
  readonly "@type": string | readonly string[];
  readonly [property: string]: unknown;
}

export interface RoCrate {
  readonly "@context": readonly string[];
  readonly "@graph": readonly Entity[];
}

interface Around {
  /** The files of the report in the crate, with their media types. */
  readonly files: readonly { readonly path: string; readonly type: string; readonly says: string }[];
  /** The trainer's command, as evotrainer.yaml has it. */
  readonly trainer: string;
  /** A licence as its address or a text; null where nobody stated one. */
  readonly license: string | null;
}

const ref = (id: string): { "@id": string } => ({ "@id": id });
/** An identifier within the crate: of any text a fragment that needs no base. */
const local = (kind: string, ...names: readonly string[]): string =>
  `#${[kind, ...names].map(encodeURIComponent).join("-")}`;
const versionId = (name: string): string => local("version", name);
const pathId = (path: string): string => path.split("/").map(encodeURIComponent).join("/");
const evidenceId = (run: string, file: { readonly name: string; readonly copy: string | null }): string =>
  file.copy === null ? local("evidence", run, file.name) : pathId(file.copy);

/**
 * The report as RO-Crate 1.1 metadata with the Process Run Crate profile 0.5: every job and every decision is an action, with
 * the software that ran it, what it read and what it made.
 */
export function roCrate(report: EvolutionReport, around: Around): RoCrate {
  const actions = report.versions.flatMap((version) => [
    ...jobActions(version, report),
    ...decisionActions(version, report),
    ...approvalActions(version),
  ]);
  const copied = report.evidence.flatMap(({ files }) => files.flatMap(({ copy }) => copy ?? []));
  const license = licenseOf(around.license);
  const root: Entity = {
    ...{ "@id": "./", "@type": "Dataset" },
    name: `Evolution of ${report.project}`,
    description: descriptionOf(report),
    datePublished: report.made,
    license: ref(license["@id"]),
    conformsTo: ref(profile),
    hasPart: [...around.files.map(({ path }) => path), ...copied].map((path) => ref(pathId(path))),
    mentions: [
      ...report.versions.map(({ name }) => ref(versionId(name))),
      ...actions.filter(({ "@type": type }) => type !== "PropertyValue").map(({ "@id": id }) => ref(id)),
    ],
  };
  return {
    "@context": [`${crate}/context`, "https://w3id.org/ro/terms/workflow-run/context"],
    "@graph": [
      {
        ...{ "@id": "ro-crate-metadata.json", "@type": "CreativeWork" },
        ...{ conformsTo: ref(crate), about: ref("./") },
      },
      root,
      { "@id": profile, "@type": "CreativeWork", name: "Process Run Crate", version: "0.5" },
      license,
      ...softwareOf(report, around),
      ...around.files.map(({ path, type, says }) => ({
        ...{ "@id": pathId(path), "@type": "File" },
        ...{ name: path, description: says, encodingFormat: type },
      })),
      ...report.versions.map((version) => versionEntity(version)),
      ...evidenceEntities(report),
      ...peopleOf(report),
      ...actions,
    ],
  };
}

function descriptionOf({ domain, versions, selection, sealed }: EvolutionReport): string {
  return `The evolution of a policy and its training harness in the domain ${domain}: ${counted(versions.length, "version")}, each with the decision about it and what that rests on. The selection split was looked at ${count(selection.looks)} times; the audit split ${sealed.length === 0 ? "is sealed" : "was opened"}.`;
}

function licenseOf(license: string | null): Entity {
  const common = { "@type": "CreativeWork" };
  if (license === null)
    return {
      ...{ "@id": "#license", ...common, name: "No licence stated" },
      description: "Whoever exported this crate did not state a licence; ask them before you use it.",
    };
  const isAddress = URL.canParse(license) && /^https?:/.test(license);
  return {
    ...{ "@id": isAddress ? license : "#license", ...common },
    ...{ name: license, description: `The licence that was stated when this crate was exported: ${license}` },
  };
}

function softwareOf({ project, tool, specs }: EvolutionReport, { trainer }: Around): Entity[] {
  return [
    {
      ...{ "@id": "#evotrainer", "@type": "SoftwareApplication", name: tool.name },
      ...{ softwareVersion: tool.release, description: "Decided on every version." },
    },
    {
      ...{ "@id": "#trainer", "@type": "SoftwareApplication", name: `Trainer of ${project}` },
      description: trainer,
      ...(specs.commit === null ? {} : { softwareVersion: specs.commit }),
    },
  ];
}

function versionEntity(version: ReportedVersion): Entity {
  const { name, parent, merges, commit, title, at } = version;
  const basedOn = [parent, merges].flatMap((one) => (one === null ? [] : [ref(versionId(one))]));
  return {
    ...{ "@id": versionId(name), "@type": "CreativeWork" },
    ...{ name, description: title, identifier: commit, dateCreated: at },
    ...(basedOn.length === 0 ? {} : { isBasedOn: basedOn }),
  };
}

function evidenceEntities({ evidence }: EvolutionReport): Entity[] {
  return evidence.flatMap(({ run, at, files }) =>
    files.map((file) => ({
      ...{ "@id": evidenceId(run, file), "@type": file.copy === null ? "CreativeWork" : "File" },
      name: `${run}/${file.name}`,
      description:
        file.copy === null
          ? "Evidence of a run, which is not in this crate; the digest says which file it is."
          : "Evidence of a run, as it was when its job had ended.",
      ...{ contentSize: String(file.bytes), sha256: file.sha256, dateModified: at },
      encodingFormat: "application/jsonl",
    })),
  );
}

/** Everybody who answered a gate; a rule is no person. */
function peopleOf({ versions }: EvolutionReport): Entity[] {
  const names = new Set(
    versions.flatMap(({ approvals }) => approvals.flatMap(({ by }) => (isRule(by) ? [] : [by]))),
  );
  return [...names].sort().map((name) => ({ "@id": local("person", name), "@type": "Person", name }));
}

const isRule = (by: string): boolean => by.startsWith("rule");

function evidenceOf({ name }: ReportedVersion, { evidence }: EvolutionReport): { "@id": string }[] {
  return evidence
    .filter(({ version }) => version === name)
    .flatMap(({ run, files }) => files.map((file) => ref(evidenceId(run, file))));
}

function jobActions(version: ReportedVersion, report: EvolutionReport): Entity[] {
  return version.jobs.map(({ job, at, failure, message, seconds }, i): Entity => {
    const results = evidenceOf(version, report);
    const began = seconds === null ? null : new Date(Date.parse(at) - 1000 * seconds).toISOString();
    return {
      ...{ "@id": local("job", version.name, String(i + 1)) },
      "@type": results.length === 0 ? "ActivateAction" : "CreateAction",
      name: `Train ${version.name}`,
      description: `The job ${job}. ${message}`.trim(),
      ...(began === null ? {} : { startTime: began }),
      ...{ endTime: at, instrument: ref("#trainer"), object: [ref(versionId(version.name))] },
      ...(results.length === 0 ? {} : { result: results }),
      actionStatus: ref(`http://schema.org/${failure === null ? "Completed" : "Failed"}ActionStatus`),
      ...(failure === null ? {} : { error: `${failure}: ${message}` }),
    };
  });
}

/** Each decision is an action that makes its word, with the reason. */
function decisionActions(version: ReportedVersion, report: EvolutionReport): Entity[] {
  return version.decisions.flatMap(({ at, decision, reason }, i): Entity[] => {
    const made = local("decision", version.name, String(i + 1));
    return [
      {
        ...{ "@id": local("deciding", version.name, String(i + 1)), "@type": "CreateAction" },
        ...{ name: `Decide on ${version.name}`, description: reason, endTime: at },
        instrument: ref("#evotrainer"),
        object: [ref(versionId(version.name)), ...evidenceOf(version, report)],
        result: [ref(made)],
      },
      {
        ...{ "@id": made, "@type": "PropertyValue", name: `Decision on ${version.name}` },
        ...{ value: decision, description: reason },
      },
    ];
  });
}

const answerTypes = { approve: "AcceptAction", revise: "ReviewAction", reject: "RejectAction" } as const;

function approvalActions({ name, approvals }: ReportedVersion): Entity[] {
  return approvals.map(({ at, gate, answer, by, comment }, i) => ({
    ...{ "@id": local("answer", name, String(i + 1)), "@type": answerTypes[answer] },
    name: `The ${gate} gate of ${name}: ${answer}`,
    ...(comment === null || comment === "" ? {} : { description: comment }),
    ...{ endTime: at, object: [ref(versionId(name))] },
    // A rule of the project is no person: the tool answered by it.
    ...(isRule(by) ? { instrument: ref("#evotrainer") } : { agent: ref(local("person", by)) }),
  }));
}
