import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { z } from "zod";
import { skipBecause } from "../../support/base/skip.ts";

const root = new URL("../../..", import.meta.url).pathname;
const grammarFile = join(root, "syntaxes/evotrainer-spec.tmLanguage.json");

type Token = { readonly startIndex: number; readonly endIndex: number; readonly scopes: readonly string[] };
type Tokenize = (text: string) => { readonly line: string; readonly tokens: readonly Token[] }[];

/** The editor's own tokenizer, as far as it is used here. */
const TextMate = z.object({
  INITIAL: z.unknown(),
  Registry: z.custom<
    new (options: object) => {
      loadGrammar: (name: string) => Promise<{
        tokenizeLine: (line: string, stack: unknown) => { tokens: readonly Token[]; ruleStack: unknown };
      }>;
    }
  >((value) => typeof value === "function"),
  parseRawGrammar: z.custom<(text: string, file: string) => unknown>((value) => typeof value === "function"),
});
const Oniguruma = z.object({
  loadWASM: z.custom<(bytes: ArrayBufferLike) => Promise<void>>((value) => typeof value === "function"),
  createOnigScanner: z.unknown(),
  createOnigString: z.unknown(),
});

async function tokenizer(host: string): Promise<Tokenize> {
  const modules = join(host, "node_modules/code-server/lib/vscode/node_modules");
  const require = createRequire(join(modules, "here.cjs"));
  const { INITIAL, Registry, parseRawGrammar } = TextMate.parse(require("vscode-textmate"));
  const oniguruma = Oniguruma.parse(require("vscode-oniguruma"));
  const wasm = readFileSync(join(modules, "vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(
    wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength) satisfies ArrayBufferLike,
  );
  const registry = new Registry({
    onigLib: Promise.resolve(oniguruma),
    loadGrammar: () => Promise.resolve(parseRawGrammar(readFileSync(grammarFile, "utf8"), grammarFile)),
  });
  const grammar = await registry.loadGrammar("source.evotrainer-spec");
  return (text) => {
    let stack = INITIAL;
    return text.split("\n").map((line) => {
      const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
      stack = ruleStack;
      return { line, tokens };
    });
  };
}

const specsIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true })
    .map(String)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => join(root, folder, file));

describe("the colours of specs", () => {
  let tokenize: Tokenize;
  before(async function () {
    const host = process.env.EVOTRAINER_EDITOR_HOST;
    if (!host) return skipBecause(this, "the editor is not installed; run npm test -- --only editor");
    tokenize = await tokenizer(host);
  });

  /** The scopes of a word, at its first place in the text or behind the place of another one. */
  function scopesOf(text: string, word: string): string {
    for (const { line, tokens } of tokenize(text)) {
      const at = line.indexOf(word);
      const token = tokens.find(({ startIndex, endIndex }) => startIndex <= at && at < endIndex);
      if (at >= 0) return token?.scopes.slice(1).join(" ") ?? "";
    }
    return "no such word";
  }

  const cases: readonly (readonly [text: string, word: string, scope: RegExp])[] = [
    ["# why", "why", /^comment/],
    ["name: a-1", "name", /^entity\.name\.tag/],
    ["name: a-1", "a-1", /^string\.unquoted/],
    ["alert: { above: 0.25 }", "0.25", /^constant\.numeric/],
    ["alert: { above: 0.25 }", "above", /^entity\.name\.tag/],
    ["invalidates: true # yes", "true", /^constant\.language/],
    ["a: &here { b: 1 }", "here", /anchor/],
    ["a: *here", "here", /alias/],
    ["<<: *here", "<<", /^entity\.name\.tag/],
    ["description: waits 30 s for 5 %", " s", /keyword\.other\.unit/],
    ["label:\n  when: reward > 0.5", "reward", /^meta\.embedded\.inline\.cel variable/],
    ["label:\n  when: reward > 0.5 # few", "few", /comment/],
    ["label:\n  when: 'x.ok && true'", "&&", /^meta\.embedded\.inline\.cel keyword\.operator\.logical/],
    ['label:\n  when: "a == \\"pass\\""', "pass", /cel string\.quoted/],
    ["label:\n  when: 'a == ''pass'''\n  severity: info", "pass", /cel string\.quoted/],
    ["label:\n  when: 'a == ''pass'''\n  severity: info", "info", /^string\.unquoted\.plain/],
    ["label: { when: size >= 2, severity: info }", "size", /^meta\.embedded/],
    ["label: { when: size >= 2, severity: info }", "info", /^string\.unquoted\.plain/],
    ["label:\n  when: >-\n    a > 1\n\n    || b\n  severity: info", "||", /^meta\.embedded/],
    ["label:\n  when: >-\n    a > 1\n\n    || b\n  severity: info", "info", /^string\.unquoted\.plain/],
    ["label:\n  when: a &&\n    second\n  severity: info", "second", /^meta\.embedded/],
    ["label:\n  when: turns.exists(t, t.ok)", "exists", /support\.function\.macro/],
    ["label:\n  when: a > params.most", "most", /variable\.parameter/],
    ["label:\n  message: 'is {score%} now'", "score", /meta\.template\.expression\.cel variable/],
    ["label:\n  message: 'is {score%} now'", "%", /keyword\.other\.unit/],
    ["label:\n  message: 'is {score%} now'", "now", /^string\.unquoted\.message\S*$/],
    [
      "label:\n  when: 'x.matches(r\"(?i)git\\s+[a-z]{2,}$\")'",
      "\\s",
      /string\.regexp\.cel constant\.other\.character-class/,
    ],
    ["label:\n  when: 'x.matches(r\"(?i)git\\s+[a-z]{2,}$\")'", "{2,}", /quantifier\.regexp/],
    ["label:\n  when: 'x.matches(r\"(?i)git\\s+[a-z]{2,}$\")'", "a-z", /character-class\.set/],
    ['label:\n  when: x.matches("a|b")', "|", /or\.regexp/],
    ["alert:\n  critical: 0.3", "0.3", /^constant\.numeric\.yaml/],
    ["fields:\n  item: record.task", "record", /^meta\.embedded/],
    ["fields:\n  turns: { from: record.m }", "record", /^meta\.embedded/],
    ["fields:\n  outcome:\n    pass: record.?ok", "?", /operator\.optional/],
    ["fields:\n  extra:\n    any-name: record.x\nname: a", "record", /^meta\.embedded/],
    ["fields:\n  extra:\n    any-name: record.x\nname: word", "word", /^string\.unquoted\.plain/],
    ["examples:\n  - rollout: { outcome: pass }", "pass", /^string\.unquoted\.plain/],
  ];
  for (const [text, word, scope] of cases)
    it(`${JSON.stringify(text)}: ${word}`, () => assert.match(scopesOf(text, word), scope));

  it("end where they began in every spec that comes with EvoTrainer: a key after it is still a key", () => {
    for (const file of ["library", "examples"].flatMap(specsIn)) {
      const lines = tokenize(`${readFileSync(file, "utf8").trimEnd()}\nlast: word`);
      const last = lines.at(-1)?.tokens.map(({ scopes }) => scopes.slice(1).join(" "));
      assert.deepEqual(
        last?.filter((scopes) => scopes !== ""),
        [
          "entity.name.tag.yaml",
          "punctuation.separator.key-value.mapping.yaml",
          "string.unquoted.plain.out.yaml",
        ],
        file,
      );
    }
  });

  it("show the condition of every spec that comes with EvoTrainer as an expression", () => {
    for (const file of ["library", "examples"].flatMap(specsIn))
      for (const { line, tokens } of tokenize(readFileSync(file, "utf8"))) {
        if (!/^ {2}when: ./.test(line)) continue;
        const inside = tokens.filter(({ startIndex }) => startIndex > "  when: '".length);
        assert.ok(
          inside.filter(({ scopes }) => scopes.includes("meta.embedded.inline.cel")).length >=
            inside.length - 1,
          `${file}: ${line}`,
        );
      }
  });
});
