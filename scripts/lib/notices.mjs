import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./process.mjs";
import { builtMetas, licenseTexts, shippedPackages } from "./shipped.mjs";

export const noticesFile = join(root, "dist/THIRD-PARTY-NOTICES.txt");

/** Licences that let us pass a package on under Apache-2.0, if its notice goes with it. */
const allowed = [
  ...["MIT", "ISC", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "BlueOak-1.0.0"],
  "(Apache-2.0 AND BSD-3-Clause)",
];

const apache = () => readFileSync(join(root, "LICENSE"), "utf8").trim();
const mit = (holder) => `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files
(the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge,
publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do
so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE
FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** The comment with which a source begins that carries its licence. */
const commentOf = (file) =>
  readFileSync(file, "utf8")
    .split("\n")
    .slice(0, 60)
    .filter((line, i, lines) => lines.slice(0, i + 1).every((one) => one.startsWith("//")))
    .map((line) => line.replace(/^\/\/ ?/, ""))
    .join("\n")
    .trim();

/** What stands in for the file of a licence that a package names and does not bring. */
const withoutFile = {
  "@ai-sdk/provider-utils": apache,
  "@bufbuild/protobuf": (folder) =>
    `${apache()}\n\nFor dist/*/wire/varint.js:\n\n${commentOf(join(folder, "dist/esm/wire/varint.js"))}`,
  "@microsoft/fast-element": () => mit("Microsoft Corporation. All rights reserved."),
  "@microsoft/fast-foundation": () => mit("Microsoft Corporation. All rights reserved."),
  "@microsoft/fast-web-utilities": () => mit("Microsoft Corporation. All rights reserved."),
};

/**
 * The notices of all packages of which something is shipped. Packages with the same text share it.
 * @param {import("./shipped.mjs").Shipped[]} packages
 * @throws Error for a package whose licence we have not agreed to, or that brings no text of it
 */
export function noticesOf(packages) {
  /** @type {Map<string, string[]>} */
  const byText = new Map();
  for (const { name, version, license, folder } of packages) {
    if (!allowed.includes(license))
      throw new Error(
        `${name}@${version} has the licence ${license}, which scripts/lib/notices.mjs does not name: see whether we may pass it on.`,
      );
    // The native libraries of all platforms have one licence, that of the package which chooses among them.
    if (folder === undefined || name.startsWith("@duckdb/node-bindings-")) continue;
    const found = licenseTexts(folder).join("\n\n");
    const text = found === "" ? withoutFile[name]?.(folder) : found;
    if (text === undefined)
      throw new Error(
        `${name}@${version} brings no text of its licence ${license}: name one in scripts/lib/notices.mjs.`,
      );
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version} (${license})`]);
  }
  const rule = "=".repeat(100);
  return [
    "EvoTrainer contains software of others. Each part below names the packages that its text applies to.",
    "The native library of DuckDB comes with @duckdb/node-bindings and has the same licence.",
    ...[...byText].map(([text, names]) => `${rule}\n${names.join("\n")}\n${rule}\n\n${text}`),
    "",
  ].join("\n\n");
}

/** Writes the notices beside the bundles. */
export function writeNotices() {
  writeFileSync(noticesFile, noticesOf(shippedPackages(builtMetas())));
}
