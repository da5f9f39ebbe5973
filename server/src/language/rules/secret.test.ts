import assert from "node:assert/strict";
import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { parseSpec } from "../syntax/parseSpec.ts";
import { secret } from "./secret.ts";

const head = "apiVersion: evotrainer/v1\nkind: Diagnostic\nname: a\n";
/** Made when the test runs, so that nothing in the repository looks like a key. */
const letters = (n: number) => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".repeat(3).slice(0, n);
const digits = (n: number) => "0123456789abcdef".repeat(4).slice(0, n);

const keys: readonly (readonly [text: string, name: string])[] = [
  [`ghp_${letters(36)}`, "GitHub"],
  [`github_pat_${letters(82)}`, "GitHub"],
  [`glpat-${letters(20)}`, "GitLab"],
  [`hf_${letters(34)}`, "Hugging Face"],
  [`sk-ant-api03-${letters(60)}`, "Anthropic"],
  [`sk-proj-${letters(60)}`, "OpenAI"],
  [`AKIA${letters(26).slice(0, 16).toUpperCase()}`, "AWS"],
  [`AIza${letters(35)}`, "Google"],
  [`xoxb-${digits(24)}`, "Slack"],
  [["-----BEGIN OPENSSH PRIVATE", "KEY-----"].join(" "), "private key"],
];

describe("rule secret", () => {
  for (const [key, name] of keys)
    it(`recognises ${name} by its shape and does not repeat it (${key.slice(0, 7)}…)`, () => {
      const text = `${head}description: "see ${key}"\n`;
      const found = [...secret.check({ spec: parseSpec("diagnostic", text), project: undefined })];
      assert.equal(found.length, 1);
      const [first] = found;
      assert.ok(first);
      assert.equal(text.slice(first.span.start, first.span.end), key);
      assert.ok(first.message.includes(name) && !first.message.includes(key.slice(8)));
      assert.ok(!JSON.stringify(first.data).includes(key.slice(8)));
    });

  it("finds secrets in comments, in broken files and in configs", () => {
    for (const [kind, text] of [
      ["diagnostic", `# hf_${letters(34)}\n`],
      ["diagnostic", `a: [ hf_${letters(34)}\n`],
      ["config", `wandb_api_key: ${digits(40)}\n`],
      ["config", "store: https://me:hunter22@example.org/models\n"],
    ] as const)
      assert.equal([...secret.check({ spec: parseSpec(kind, text), project: undefined })].length, 1, text);
  });

  it("ignores text that only resembles a secret", () =>
    void checkMarked({
      kind: "config",
      rules: [secret],
      text: `
commit: ${digits(40)}
model: sk-learn/sk-model-with-a-rather-long-name-in-it
url: https://user:\${PASSWORD}@example.org
other: https://example.org:8080/a@b
token: hf_token
`,
    }));
});
