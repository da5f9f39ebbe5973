export interface Item {
  readonly text: string;
  readonly link: string;
}

export interface Group {
  readonly text: string;
  readonly collapsed: boolean;
  readonly items: readonly Item[];
}

/** The groups of pages as the README lists them, so that a page is named in one place. @param readme its text */
export function sidebarOf(readme: string): Group[] {
  const list = readme.slice(readme.indexOf("\n## More\n"));
  return [...list.matchAll(/^- \*\*(.+?)\*\*: ((?:.+\n(?!- |\n))*.+)/gm)].map(
    ([, text = "", links = ""], i) => ({
      text,
      collapsed: i > 0,
      items: [...links.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, name = "", path = ""]) => ({
        text: titled(name.replaceAll(/\s+/g, " ")),
        link: `/${path.replace(/^docs\//, "").replace(/\.md$/, "")}${path === "docs/adr" ? "/" : ""}`,
      })),
    }),
  );
}

const titled = (name: string): string =>
  name.startsWith("evotrainer") || name.startsWith("prime")
    ? name
    : `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`.replaceAll("`", "");
