import { stringify } from "yaml";
import { age, count, counted, percent } from "../../../../shared/words/numbers.ts";
import { peopleLinesOf } from "../../../../shared/words/people.ts";
import { shippedDiagnostics } from "../../project/library.ts";
import { turnFields, variablesOf } from "../../predicate/variables.ts";
import type { ArchiveFacts } from "../../../../shared/protocol/views/archiveFacts.ts";
import { spread } from "../archive/shown.ts";
import { expressionAt, spanIn } from "../expressions/expressionsOf.ts";
import { tokensOf } from "../expressions/tokens.ts";
import { callables, mappingCallables } from "../expressions/vocabulary.ts";
import type { FeatureContext } from "../symbols/featureContext.ts";
import type { ProjectContext } from "../rule/rule.ts";
import type { Occurrence } from "../symbols/occurrence.ts";
import { placesOf, symbolAt } from "../symbols/symbolAt.ts";
import { pointedAt } from "../syntax/cursor.ts";
import type { Span } from "../syntax/parseSpec.ts";
import { schemaAt, shapeOf, typeName } from "../syntax/schemaShape.ts";
import { specSchemas } from "../syntax/specKind.ts";

export type Hover = { readonly span: Span; readonly markdown: string };

/**
 * What is known of the word under the pointer, as Markdown: a name and its evidence, a part of an expression, or a key
 * and what the schema says of it.
 */
export function hover(context: FeatureContext, offset: number, now = Date.now()): Hover | undefined {
  const symbol = symbolAt(context, offset);
  const named = symbol && aboutSymbol(context, symbol, now);
  if (symbol && named !== undefined) {
    const schema = aboutKey(context, offset);
    return { span: symbol.span, markdown: schema ? `${named}\n\n---\n\n${schema.markdown}` : named };
  }
  return aboutExpression(context, offset, now) ?? aboutKey(context, offset);
}

function aboutKey({ spec }: FeatureContext, offset: number): Hover | undefined {
  const pointed = pointedAt(spec, offset);
  const schema = pointed && schemaAt(specSchemas[spec.kind], pointed.path);
  if (!pointed || !schema) return undefined;
  const { description, defaultValue, required } = shapeOf(schema);
  const name = pointed.path.filter((step) => typeof step === "string").at(-1) ?? spec.kind;
  const preset = isPlain(defaultValue) ? `, default \`${String(defaultValue)}\`` : "";
  const head = `**${name}**: ${typeName(schema)}${required ? "" : ", optional"}${preset}`;
  return { span: pointed.span, markdown: description === undefined ? head : `${head}\n\n${description}` };
}

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/** Evidence is text of strangers: it is shown as code, where nothing is a link or an image. */
const code = (text: string): string =>
  `\`${text.replaceAll("`", "'").replaceAll(/\s+/g, " ").slice(0, 120)}\``;

const agedLine = (project: ProjectContext | undefined, now: number): string =>
  project?.facts ? `\n\n*The archive as of ${age(project.facts.at, now)}.*` : "";

function aboutSymbol(context: FeatureContext, symbol: Occurrence, now: number): string | undefined {
  if (symbol.kind === "label") return aboutLabel(context, symbol, now);
  if (symbol.kind === "metric") return aboutMetric(context, symbol.name, now);
  return symbol.kind === "component" ? aboutComponent(context, symbol.name, now) : undefined;
}

function aboutLabel(context: FeatureContext, symbol: Occurrence, now: number): string | undefined {
  const { name } = symbol;
  const places = placesOf(context, symbol);
  const shipped = shippedDiagnostics().find(({ spec }) => spec.name === name);
  const own = places.some(({ role }) => role === "definition");
  if (!own && !shipped) return undefined;
  const uses = places.filter(({ role }) => role === "use").length;
  const lines = [
    `**${name}**: label ${own ? "of this project" : "of the library"}, named in ${counted(uses, "place")}`,
  ];
  if (!own && shipped?.spec.description !== undefined) lines.push(shipped.spec.description);
  const found = context.project?.facts?.labels[name];
  if (!found) return lines.join("\n\n");
  const share =
    found.of > 0 ? ` of ${counted(found.of, "rollout")}, ${percent(found.rollouts / found.of)}` : "";
  lines.push(`In the archive: ${count(found.rollouts)}${share}.`);
  lines.push(...peopleLinesOf(context.project.facts.people ?? [], name));
  if (found.last)
    lines.push(`Last caught in ${code(found.last.version)}: ${found.last.rollouts.map(code).join(", ")}.`);
  return lines.join("\n\n") + agedLine(context.project, now);
}

function aboutMetric({ project }: FeatureContext, name: string, now: number): string | undefined {
  const builtin = variablesOf("version").find((variable) => variable.name === name);
  const found = project?.facts?.metrics[name];
  if (!builtin && !found) return undefined;
  const lines = [`**${name}**: metric`];
  if (builtin) lines.push(builtin.doc);
  if (found) lines.push(`${counted(found.count, "value")}, least … median … most: ${spread(found)}.`);
  return lines.join("\n\n") + (found ? agedLine(project, now) : "");
}

function aboutComponent({ project }: FeatureContext, name: string, now: number): string | undefined {
  const found = project?.facts?.components[name];
  if (!found) return undefined;
  const seen = `In ${percent(found.present)} of the newest rollouts, above zero in ${percent(found.awarded)}; least … median … most: ${spread(found.spread)}.`;
  return `**${name}**: component of the reward\n\n${seen}${agedLine(project, now)}`;
}

function aboutExpression({ spec, project }: FeatureContext, offset: number, now: number): Hover | undefined {
  const found = expressionAt(spec, offset);
  if (!found) return undefined;
  const { expression, at } = found;
  const tokens = tokensOf(expression.text);
  const i = tokens.findIndex(({ type, start, end }) => type === "name" && start <= at && at <= end);
  const token = tokens[i];
  const span = token && spanIn(expression, token);
  if (!token || !span) return undefined;
  const before = tokens[i - 1]?.text === "." ? tokens[i - 2]?.text : undefined;
  const markdown = aboutName(
    { name: token.text, before, called: tokens[i + 1]?.text === "(" },
    expression.around,
    project,
    now,
  );
  return markdown === undefined ? undefined : { span, markdown };
}

type Around = NonNullable<ReturnType<typeof expressionAt>>["expression"]["around"];

function aboutName(
  {
    name,
    before,
    called,
  }: { readonly name: string; readonly before: string | undefined; readonly called: boolean },
  around: Around,
  project: ProjectContext | undefined,
  now: number,
): string | undefined {
  const known = around.language === "mapping" ? mappingCallables : callables(around.scope);
  if (called) {
    const f = known.find((callable) => callable.name === name && callable.method === (before !== undefined));
    return f && `\`${f.signature}\`\n\n${f.doc}`;
  }
  if (around.language === "mapping") return undefined;
  if (before === "params") {
    const value = Object.hasOwn(around.params, name) ? around.params[name] : undefined;
    return value === undefined ? undefined : `**params.${name}**: ${stringify(value).trim()}`;
  }
  if (before !== undefined && before !== "parent") {
    const field = turnFields.find((turnField) => turnField.name === name);
    const whose = before === "answers" ? "of the call that a turn answers" : "of a turn";
    return field && `**${name}**: ${field.type}, ${whose}\n\n${field.doc}`;
  }
  const variable = variablesOf(around.scope).find((v) => v.name === name);
  if (!variable) return undefined;
  const isRollout = around.scope === "rollout" || around.scope === "turn";
  const fact = isRollout ? project?.facts?.fields[name] : undefined;
  const seen = fact ? `\n\nIn the newest rollouts: ${aboutField(fact)}.${agedLine(project, now)}` : "";
  return `**${name}**: ${variable.type}, of a ${around.scope === "turn" ? "rollout" : around.scope}\n\n${variable.doc}${seen}`;
}

function aboutField(fact: ArchiveFacts["fields"][string]): string {
  if (fact.spread) return `in ${percent(fact.present)}, least … median … most: ${spread(fact.spread)}`;
  const values = fact.values?.map(({ value, share }) => `${code(value)} ${percent(share)}`).join(", ");
  return `in ${percent(fact.present)}${values ? `: ${values}` : ""}`;
}
