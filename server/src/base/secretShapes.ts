/** A kind of key that can be told by its shape alone. */
export interface SecretShape {
  readonly name: string;
  readonly pattern: RegExp;
}

/**
 * Shapes with a fixed prefix or frame, so that ordinary text does not look like them. Sources: the issuers' own notes on
 * token formats (GitHub, GitLab, Slack, AWS IAM, Google Cloud, Hugging Face, OpenAI, Anthropic, Weights & Biases,
 * RFC 7468 for PEM) and the rules of gitleaks (config/gitleaks.toml, MIT), which were compared with them.
 */
export const secretShapes: readonly SecretShape[] = [
  { name: "a GitHub token", pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})\b/g },
  { name: "a GitLab token", pattern: /\bglpat-[A-Za-z0-9_-]{20,}/g },
  { name: "a Hugging Face token", pattern: /\b(?:hf|api_org)_[A-Za-z]{34}\b/g },
  { name: "an Anthropic key", pattern: /\bsk-ant-[A-Za-z0-9_-]{20,}/g },
  {
    name: "an OpenAI key",
    pattern: /\bsk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20})/g,
  },
  { name: "an AWS access key", pattern: /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/g },
  { name: "a Google API key", pattern: /\bAIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g },
  { name: "a Slack token", pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{20,}/g },
  {
    name: "a Weights & Biases key",
    pattern: /(?<=wandb_?(?:api)?_?key["']?\s{0,4}[:=]\s{0,4}["']?)[0-9a-f]{40}\b/gi,
  },
  { name: "a private key", pattern: /-----BEGIN (?:[A-Z]{2,20} )?PRIVATE KEY-----/g },
  {
    name: "a password in a URL",
    pattern: /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@$]{1,64}:)[^\s:/@$<{]{4,128}(?=@)/g,
  },
];

/** Something of this is in every secret of the shapes above; most texts have none of it, and are read once instead of eleven times. */
const hint =
  /gh[pousr]_|github_pat_|glpat-|hf_|api_org_|sk-|AKIA|ASIA|AIza|xox[abeoprs]-|[Ww][Aa][Nn][Dd][Bb]|PRIVATE KEY|:\/\//;

/** Where a text holds secrets, in the order of the text; what stands there is not given away. */
export function findSecrets(
  text: string,
): { readonly name: string; readonly start: number; readonly end: number }[] {
  if (!hint.test(text)) return [];
  return secretShapes
    .flatMap(({ name, pattern }) =>
      Array.from(text.matchAll(pattern), (match) => ({
        name,
        start: match.index,
        end: match.index + match[0].length,
      })),
    )
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .filter((found, i, all) => i === 0 || found.start >= (all[i - 1]?.end ?? 0));
}
