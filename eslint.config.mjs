import tseslint from "typescript-eslint";

/** Forbids imports by pattern in one folder; the transitive test in test/imports.test.ts checks what this cannot see. */
const boundary = (files, patterns, message) => ({
  files,
  ignores: ["**/*.test.ts"],
  rules: { "no-restricted-imports": ["error", { patterns: patterns.map((regex) => ({ regex, message })) }] },
});

const namedExports = { selector: "ExportDefaultDeclaration", message: "Named exports only." };
/** What goes through one place in the extension, so that every error meets the user in the same way. */
const behindTheGuard = {
  commands: {
    selector: "MemberExpression[property.name=/^register(TextEditor)?Command$/]",
    message: "Register commands by registerCommand of shell/commands.ts: it shows what goes wrong.",
  },
  messages: {
    selector: "MemberExpression[property.name='onDidReceiveMessage']",
    message: "Receive messages by receiveMessages of page/receiveMessages.ts: it shows what goes wrong.",
  },
};

const up = String.raw`^\.\./(\.\./)*`;
const node = "^node:";
/** Folders of server/src from the bottom to the top: a folder imports only from those before it. */
export const serverOrder = [
  "base",
  "reading",
  "expression",
  "statistics",
  "lineage",
  "evidence",
  "predicate",
  "project",
  "runner",
  "diagnosis",
  "changes",
  "backtest",
  "decision",
  "proposals",
  "loop",
  "engine",
  "language",
  "assistant",
  "commands",
];
const serverBoundaries = serverOrder.map((folder, i) =>
  boundary(
    [`server/src/${folder}/**/*.ts`],
    ["^vscode$", ...(i + 1 < serverOrder.length ? [`${up}(${serverOrder.slice(i + 1).join("|")})/`] : [])],
    `server/src/${folder} sits below the folder you import from (ARCHITECTURE.md).`,
  ),
);

export default tseslint.config(
  {
    ignores: [
      "**/dist/",
      "**/out/",
      "**/node_modules/",
      "test/editor/host/",
      "examples/swe-gym/trainer/wasm/gemm.ts", // AssemblyScript
      "server/wasm/*.ts", // AssemblyScript
      "**/*.d.ts",
      "demo/",
      ".evotrainer/",
    ],
  },
  ...tseslint.configs.strictTypeChecked.map((c) => ({ ...c, files: ["**/*.ts"] })),
  {
    files: ["**/*.ts"],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "no-console": "error",
      "no-restricted-syntax": ["error", namedExports],
      complexity: ["error", { max: 20, variant: "modified" }],
      "max-lines": ["error", { max: 400, skipBlankLines: true, skipComments: true }],
      "max-lines-per-function": ["error", { max: 100, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ["**/*.test.ts", "test/**/*.ts"],
    rules: {
      "@typescript-eslint/no-floating-promises": "off",
      "max-lines": "off",
      "max-lines-per-function": "off",
    },
  },
  {
    // Longer than a function should be; shorter with the next change to them.
    files: ["server/src/**/{database,liveBacktest}.ts", "bench/workspace.ts"],
    rules: { "max-lines-per-function": "off" },
  },
  boundary(
    ["shared/**/*.ts"],
    ["^(?!zod$|\\.)", `${up}(client|server|webview|test|bench|examples)/`],
    "shared imports zod and itself only.",
  ),
  boundary(
    ["webview/**/*.ts"],
    ["^vscode", node, `${up}(client|server|test|bench|examples)/`],
    "webview imports shared and d3 only.",
  ),
  boundary(
    ["client/**/*.ts"],
    [`${up}(server|webview|test|bench|examples)/`],
    "client imports shared and vscode; server and webview are loaded by path.",
  ),
  {
    files: ["client/**/*.ts"],
    rules: { "no-restricted-syntax": ["error", namedExports, ...Object.values(behindTheGuard)] },
  },
  {
    files: ["client/src/shell/commands.ts"],
    rules: { "no-restricted-syntax": ["error", namedExports, behindTheGuard.messages] },
  },
  {
    files: ["client/src/page/receiveMessages.ts"],
    rules: { "no-restricted-syntax": ["error", namedExports, behindTheGuard.commands] },
  },
  ...serverBoundaries,
);
