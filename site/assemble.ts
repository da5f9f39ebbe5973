import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

/** Documents at the root of the repository that are pages of the site, too. */
const papers = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];

/**
 * Lays the pages of the site into a folder, with links that hold there: docs/ as it is, the papers of the root beside it, a
 * list of the decisions, and the front page. @returns how many pages
 */
export function assemble(root: string, to: string): number {
  const files = filesBelow(join(root, "docs")).map((file) => `docs/${file}`);
  const pages = new Map([...files.filter(isPage), ...papers].map((path) => [path, placeOf(path)]));
  for (const file of files.filter((path) => !isPage(path)))
    copy(join(root, file), join(to, file.endsWith(".html") ? "public" : "", placeOf(file)));
  for (const [path, place] of pages)
    write(join(to, place), linked(readFileSync(join(root, path), "utf8"), { path, root, pages }));
  write(join(to, "adr", "index.md"), decisions(root, [...pages.keys()]));
  cpSync(join(root, "site", "index.md"), join(to, "index.md"));
  return pages.size + 2;
}

const isPage = (path: string): boolean => path.endsWith(".md");
const placeOf = (path: string): string => path.replace(/^docs\//, "");

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => statSync(join(folder, file)).isFile())
    .toSorted();
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}

function write(to: string, text: string): void {
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, text);
}

interface Linking {
  /** Of the page, from the root of the repository. */
  readonly path: string;
  readonly root: string;
  readonly pages: ReadonlyMap<string, string>;
}

/** The text of a page whose links to files that are not on the site name the file in its place. */
export function linked(text: string, linking: Linking): string {
  // Every other part is a fence.
  return text
    .split(/^([ \t]*```[\s\S]*?^[ \t]*```[ \t]*$)/m)
    .map((part, i) =>
      i % 2 === 1
        ? part
        : part.replaceAll(/\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)/g, (...of) => target(of, linking)),
    )
    .join("");
}

function target(
  [all = "", text = "", link = "", hash = ""]: readonly string[],
  { path, root, pages }: Linking,
): string {
  if (/^[a-z]+:/.test(link)) return all;
  const at = posix.normalize(posix.join(posix.dirname(path), link));
  const here = posix.dirname(placeOf(path));
  if (at === "docs/adr") return `[${text}](${posix.relative(here, "adr") || "."}/)`;
  const place = pages.get(at) ?? (at.startsWith("docs/images/") ? placeOf(at) : undefined);
  if (place === undefined) {
    statSync(join(root, at));
    return `${text} (\`${at}\`)`;
  }
  // An HTML file is no page of VitePress: it lies at the root of the site as it is.
  if (place.endsWith(".html")) return `[${text}](/${place}){target="_self"}`;
  const near = posix.relative(here, place);
  return `[${text}](${near.startsWith(".") ? near : `./${near}`}${hash})`;
}

function decisions(root: string, pages: readonly string[]): string {
  const lines = pages
    .filter((path) => path.startsWith("docs/adr/"))
    .map((path) => {
      const title = /^# (.+)$/m.exec(readFileSync(join(root, path), "utf8"))?.[1] ?? path;
      return `- [${title}](./${posix.basename(path)})`;
    });
  return `# Decisions\n\nWhat was decided about the architecture, and why.\n\n${lines.join("\n")}\n`;
}
