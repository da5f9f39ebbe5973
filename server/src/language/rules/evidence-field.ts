import { z } from "zod";
import { counted } from "../../../../shared/words/numbers.ts";
import type { ArchiveFacts } from "../../../../shared/protocol/views/archiveFacts.ts";
import { didYouMean, similar } from "../../base/similar.ts";
import { expressionKeys, scopeOf } from "../../diagnosis/label/labelExpressions.ts";
import { checkExpression } from "../../predicate/check.ts";
import { compilePredicate } from "../../predicate/compile.ts";
import { partsOf, type Expr } from "../../predicate/expr.ts";
import { turnFields, variablesOf } from "../../predicate/variables.ts";
import { isLacking } from "../project/lacking.ts";
import { diagnosticIn } from "../syntax/typedSpec.ts";
import { defineRule } from "../rule/rule.ts";
import { spanInside } from "../syntax/spanInside.ts";

const Data = z.object({
  key: z.enum(expressionKeys),
  start: z.int(),
  end: z.int(),
  near: z.array(z.string()),
});

type Mismatch = {
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly near: string[];
};

/** Fewer rollouts say too little about what the evidence lacks. */
const enoughRollouts = 100;

export const evidenceField = defineRule({
  meta: {
    id: "evidence-field",
    severity: "warning",
    kinds: ["diagnostic"],
    archive: "all",
    docs: "An expression reads only what this project's evidence has: fields that have a value in some archived rollout, and components and words that occur in it.",
    example: {
      wrong: `label: { when: 'stop_reason == "max_token"' } # the archive has success, abandon and max_tokens`,
      right: `label: { when: 'stop_reason == "max_tokens"' }`,
    },
  },
  data: Data,
  *check({ spec, project }) {
    const facts = project?.facts;
    const diagnostic = diagnosticIn(spec);
    if (!diagnostic || !facts || facts.rollouts < enoughRollouts) return;
    for (const key of expressionKeys) {
      const text = diagnostic.label[key];
      if (text === undefined || key === "message") continue;
      const scope = scopeOf(key, diagnostic.over);
      const checked = checkExpression(text, scope, diagnostic.params);
      const compiled = compilePredicate(text, scope, diagnostic.params);
      if (!checked.ok || !compiled.ok) continue;
      const found = [
        ...lackingIn(text, compiled.predicate.needs, scope, facts),
        ...wordsIn(text, checked.expr, facts),
      ];
      for (const { start, end, message, near } of found)
        yield {
          span: spanInside(spec, ["label", key], text, { start, end }),
          message,
          data: { key, start, end, near },
        };
    }
  },
  fix({ spec }, { key, start, end, near }) {
    const text = diagnosticIn(spec)?.label[key];
    if (text === undefined) return [];
    const span = spanInside(spec, ["label", key], text, { start, end });
    // An escaped expression is marked whole, and cannot be mended in parts.
    if (span.end - span.start !== end - start) return [];
    return near.map((word) => ({ title: `Change to ${word}`, edits: [{ span, text: word }] }));
  },
});

/** Fields without which the expression is never true, and that no rollout has. */
function lackingIn(
  text: string,
  needs: readonly string[],
  scope: ReturnType<typeof scopeOf>,
  facts: ArchiveFacts,
): Mismatch[] {
  const names = [...variablesOf(scope), ...turnFields];
  return needs
    .filter((field) => isLacking(field, facts))
    .map((field): Mismatch => {
      const reader = names
        .filter(({ fields }) => fields.includes(field))
        .map(({ name }) => positionOf(text, name));
      const at = reader.find((position) => position !== undefined) ?? { start: 0, end: text.length };
      return {
        ...at,
        message: `None of ${counted(facts.rollouts, "archived rollout")} has ${field}, so that this is never true.`,
        near: [],
      };
    });
}

function positionOf(
  text: string,
  word: string,
): { readonly start: number; readonly end: number } | undefined {
  const found = new RegExp(`(?<![\\w."'])${word.replaceAll(".", "\\.")}\\b`).exec(text);
  return found ? { start: found.index, end: found.index + word.length } : undefined;
}

/** Components and words that nothing in the archive has, where something near them is there. */
function wordsIn(text: string, expr: Expr, facts: ArchiveFacts): Mismatch[] {
  const found: Mismatch[] = [];
  const report = (word: string, known: readonly string[], what: string): void => {
    const start = text.indexOf(word);
    const near = similar(word, known);
    if (start < 0 || known.length === 0 || known.includes(word)) return;
    found.push({ start, end: start + word.length, message: `${what}${didYouMean(word, known)}`, near });
  };
  const visit = (e: Expr): void => {
    for (const part of partsOf(e)) visit(part);
    if (e.op === "component" && e.key.op === "const" && typeof e.key.value === "string")
      report(
        e.key.value,
        Object.keys(facts.components),
        `No archived rollout has a component ${e.key.value}.`,
      );
    for (const { variable, word } of comparedIn(e)) {
      const values = facts.fields[variable]?.values?.map(({ value }) => value) ?? [];
      // Ten values are the most frequent ones: there may be others.
      if (values.length > 0 && values.length < 10 && similar(word, values).length > 0)
        report(word, values, `No archived rollout has ${word} as its ${variable}.`);
    }
  };
  visit(expr);
  return found;
}

/** Variables that an expression holds against a written word. */
function comparedIn(e: Expr): { readonly variable: string; readonly word: string }[] {
  const pairs =
    e.op === "compare" && e.sign === "=="
      ? [
          [e.left, e.right],
          [e.right, e.left],
        ]
      : e.op === "in"
        ? e.list.map((item) => [e.needle, item])
        : [];
  return pairs.flatMap(([a, b]) =>
    a?.op === "variable" && b?.op === "const" && typeof b.value === "string"
      ? [{ variable: a.variable.name, word: b.value }]
      : [],
  );
}
