import { of } from "./mutant.ts";

const page = ["server/src/engine/report/html/page.test.ts"];
const webview = ["client/src/page/webviewHtml.test.ts"];
const copied = ["server/src/engine/report/copyEvidence.test.ts"];

/** That what others wrote is text in a page, in Markdown and in a crate, and that no page runs anything. */
export const viewGuards = [
  ...of("server/src/engine/report/html/markup.ts", page, [
    [
      "A text in a report is no markup.",
      "inBlock(text).replace(/[&<>\"']/g, (c) => entities[c] ?? c)",
      "inBlock(text)",
    ],
    ["A text in a report hides nothing.", "inBlock(text).replace", "text.replace"],
    [`A text in a report does not end an attribute.`, `'"': "&quot;",`, `'"': '"',`],
  ]),
  ...of("server/src/engine/report/html/page.ts", page, [
    ["A report runs no script and loads nothing.", "default-src 'none'; ", ""],
    ["A report sends nothing.", "; form-action 'none'", ""],
  ]),
  ...of(
    "server/src/engine/report/roCrate.ts",
    ["server/src/engine/report/roCrate.test.ts"],
    [
      [
        "A name in a crate is no address.",
        '`#${[kind, ...names].map(encodeURIComponent).join("-")}`',
        '`#${[kind, ...names].join("-")}`',
      ],
      [
        "A licence of a crate is an address of the web, or a text.",
        "URL.canParse(license) && /^https?:/.test(license)",
        "URL.canParse(license)",
      ],
    ],
  ),
  ...of("server/src/engine/report/copyEvidence.ts", copied, [
    ["The evidence of the audit split is not copied.", `!isOurs || work === "audit"`, "!isOurs"],
    ["Nothing is copied from outside of the folder of runs.", "!/[\\\\/]/.test(run) && ", ""],
    ["Nothing but evidence is copied from the folder of a run.", " && names.has(file.name)", ""],
    [
      "Evidence that was changed is not copied.",
      `if (hash.digest("hex") === sha256) return true;`,
      "if (sha256.length > 0) return true;",
    ],
    [
      "Evidence is copied as far as its run was closed.",
      "createReadStream(from, { end: bytes - 1 })",
      "createReadStream(from)",
    ],
  ]),
  ...of("client/src/page/webviewHtml.ts", webview, [
    ["A view of the editor loads nothing from elsewhere.", `    "default-src 'none'",\n`, ""],
    [
      "A view of the editor runs its own scripts only.",
      "`script-src 'nonce-${nonce}'`",
      "`script-src 'unsafe-inline'`",
    ],
    [
      "A text in a view's page is no markup.",
      `text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] ?? c)`,
      "text",
    ],
  ]),
  ...of(
    "client/src/review/plainMarkdown.ts",
    ["client/src/review/plainMarkdown.test.ts"],
    [
      ["A text of others is no Markdown.", `    .replace(/[!-/:-@[-\`{-~]/g, "\\\\$&")\n`, ""],
      ["A text of others in Markdown hides nothing.", `codeText(c)))`, "c))"],
    ],
  ),
  ...of(
    "client/src/rollout/rolloutMarkdown.ts",
    ["client/src/rollout/rolloutMarkdown.test.ts"],
    [
      ["A text of a rollout does not close its fence.", "Math.max(3, longestRun(text) + 1)", "3"],
      ["A name of a rollout does not close its code.", `"\`".repeat(longestRun(line) + 1)`, `"\`"`],
      ["A name of a rollout begins no line.", `text.replaceAll(/\\s+/g, " ")`, "text"],
    ],
  ),
  ...of(
    "client/src/shell/plainItem.ts",
    ["client/src/shell/plainItem.test.ts"],
    [
      [
        "The label of a tree's row hides nothing.",
        "item.label = inLine(item.label)",
        "item.label = item.label.trim()",
      ],
      [
        "The hint of a tree's row hides nothing.",
        "item.tooltip = inBlock(item.tooltip)",
        "item.tooltip = item.tooltip.trim()",
      ],
    ],
  ),
  ...of(
    "webview/src/shared/visibleText.ts",
    ["webview/src/shared/visibleText.test.ts"],
    [
      [
        "A control in a rollout is shown as a sign.",
        `    .replace(controls, (c) =>`,
        `    .replace(/\\0/g, (c) =>`,
      ],
      [
        "What reorders text in a rollout is shown as its code.",
        "return replaceUnseen(signed, (c) =>",
        "return signed.replace(/\\0/g, (c) =>",
      ],
    ],
  ),
];
