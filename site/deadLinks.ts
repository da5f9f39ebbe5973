import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface DeadLink {
  readonly page: string;
  readonly link: string;
}

/** Links, pictures, scripts and anchors of a built site that lead nowhere in it. */
export function deadLinks(site: string): DeadLink[] {
  const pages = readdirSync(site, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".html"),
  );
  const texts = new Map(pages.map((page) => [join(site, page), readFileSync(join(site, page), "utf8")]));
  return pages.flatMap((page) => {
    const at = join(site, page);
    return linksOf(texts.get(at) ?? "")
      .filter((link) => !leadsSomewhere(link, { site, at, texts }))
      .map((link) => ({ page, link }));
  });
}

const linksOf = (html: string): string[] => [
  ...new Set(
    [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, link = ""]) => link.replaceAll("&amp;", "&")),
  ),
];

function leadsSomewhere(
  link: string,
  {
    site,
    at,
    texts,
  }: { readonly site: string; readonly at: string; readonly texts: ReadonlyMap<string, string> },
): boolean {
  if (/^[a-z]+:/.test(link)) return true;
  const [path = "", hash] = link.split("#");
  const from = path.startsWith("/") ? site : dirname(at);
  const named = path === "" ? at : join(from, decodeURIComponent(path));
  const file = [named, `${named}.html`, join(named, "index.html")].find(
    (one) => texts.has(one) || (/\.\w+$/.test(one) && existsSync(one)),
  );
  if (file === undefined) return false;
  const id = decodeURIComponent(hash ?? "");
  return id === "" || (texts.get(file) ?? "").includes(`id="${id}"`);
}
