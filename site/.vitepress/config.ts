import { readFileSync } from "node:fs";
import { join } from "node:path";
import { anchorOf } from "../anchors.ts";
import { sidebarOf } from "../sidebar.ts";

const root = join(import.meta.dirname, "..", "..");

export default {
  title: "EvoTrainer",
  description: "Evolve an LLM policy and its training harness together, in your editor.",
  srcDir: "../out/site/source",
  outDir: "../out/site/pages",
  cacheDir: "../out/site/cache",
  lastUpdated: false,
  // The documentation is Markdown alone, and says <name> for what a reader puts in.
  markdown: { html: false, anchor: { slugify: anchorOf } },
  // Addresses of servers on the reader's own machine, which the texts name.
  ignoreDeadLinks: "localhostLinks",
  // The site needs no server of ours or of anybody else: fonts, search and pictures are files of it.
  // The index of the search is one file.
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  themeConfig: {
    search: { provider: "local" },
    sidebar: sidebarOf(readFileSync(join(root, "README.md"), "utf8")).map((group) => ({
      ...group,
      items: [...group.items],
    })),
    outline: [2, 3],
    nav: [
      { text: "Start here", link: "/first-rollouts" },
      { text: "Concepts", link: "/concepts" },
      { text: "Command line", link: "/command-line" },
      { text: "Changes", link: "/CHANGELOG" },
    ],
  },
};
