import { addressFields } from "./address.mjs";
import { extensionBudgets, npmBudget } from "./budgets.mjs";

/** What the Marketplace takes; Open VSX has no list. */
const knownCategories = [
  ...[
    "AI",
    "Azure",
    "Chat",
    "Data Science",
    "Debuggers",
    "Extension Packs",
    "Education",
    "Formatters",
    "Keymaps",
  ],
  ...["Language Packs", "Linters", "Machine Learning", "Notebooks", "Programming Languages", "SCM Providers"],
  ...["Snippets", "Testing", "Themes", "Visualization", "Other"],
];

/**
 * @typedef {object} Release what is about to be published
 * @property {object} manifest package.json of the clone
 * @property {string} changelog CHANGELOG.md
 * @property {string | undefined} address of the repository
 * @property {{ width: number, height: number } | undefined} icon its size in pixels
 * @property {{ isClean: boolean, tags: readonly string[] }} git whether nothing waits to be committed, and the tags of the newest commit
 * @property {boolean} preRelease
 * @property {readonly string[]} platforms those that a release is made for
 * @property {readonly VsixFacts[]} extensions
 * @property {{ manifest: object, megabytes: number, files: readonly string[] } | undefined} npm
 * @property {boolean} hasSbom
 *
 * @typedef {object} VsixFacts what a package of the extension says of itself
 * @property {string} file
 * @property {string | undefined} target
 * @property {boolean} preRelease
 * @property {object} manifest
 * @property {readonly string[]} files
 * @property {number} megabytes
 */

/**
 * Everything that speaks against publishing, a sentence each; none if it can be uploaded as it is.
 * @param {Release} release
 * @returns {string[]}
 */
export function releaseProblems(release) {
  return [
    ...manifestProblems(release),
    ...historyProblems(release),
    ...extensionProblems(release),
    ...npmProblems(release),
    ...(release.hasSbom ? [] : ["dist/ has no list of what the packages contain (*.cdx.json)."]),
  ];
}

function* manifestProblems({ manifest, address, icon }) {
  const { publisher, galleryBanner, categories = [], keywords = [] } = manifest;
  if (!/^[a-z0-9][a-z0-9-]*$/i.test(publisher ?? "")) yield "package.json names no publisher.";
  if (address === undefined)
    yield "Nothing says where the repository is: name it as `repository` in package.json, or package in the workflow of the forge. Without it there are no links for bugs and no pictures in the README of the page.";
  else if (!address.startsWith("https://"))
    yield `The repository's address ${address} does not begin with https://.`;
  if (icon === undefined) yield "The icon that package.json names is no PNG.";
  else if (icon.width !== icon.height || icon.width < 128)
    yield `The icon has ${icon.width} x ${icon.height} pixels; it has to be square, with 128 or more.`;
  if (
    !/^#[0-9a-f]{6}$/i.test(galleryBanner?.color ?? "") ||
    !["dark", "light"].includes(galleryBanner?.theme)
  )
    yield "package.json has no galleryBanner with a colour and the theme dark or light.";
  for (const category of categories)
    if (!knownCategories.includes(category)) yield `The Marketplace has no category ${category}.`;
  if (categories.length === 0) yield "package.json names no category.";
  if (keywords.length > 30) yield `package.json has ${keywords.length} keywords; the Marketplace takes 30.`;
}

function* historyProblems({ manifest, changelog, git, preRelease }) {
  const { version } = manifest;
  const minor = Number(version.split(".")[1]);
  if (!/^\d+\.\d+\.\d+$/.test(version))
    yield `The Marketplace takes versions such as 1.2.3 only, also for the pre-release channel, not ${version}.`;
  else if (preRelease !== (minor % 2 === 1))
    yield preRelease
      ? `${version} has an even minor number, which is for releases; a pre-release has an odd one.`
      : `${version} has an odd minor number, which is for the pre-release channel (--pre-release); a release has an even one.`;
  const isSection = (line) => /^## /.test(line) && line.replace(/[[\]]/g, "").split(/\s+/)[1] === version;
  if (!changelog.split("\n").some(isSection))
    yield `CHANGELOG.md has no section "## ${version}": rename "Unreleased".`;
  if (!git.isClean) yield "The clone has changes that are not committed, so the packages are of no commit.";
  if (!git.tags.includes(`v${version}`)) yield `The newest commit has no tag v${version}.`;
}

function* extensionProblems({ manifest, address, preRelease, platforms, extensions }) {
  for (const platform of platforms) {
    const made = extensions.filter(({ target }) => target === platform);
    if (made.length === 0)
      yield `There is no package of the extension for ${platform}: npm run package -- --target all.`;
    if (made.length > 1) yield `There are ${made.length} packages for ${platform}.`;
  }
  const wanted = { publisher: manifest.publisher, version: manifest.version, ...addressFields(address) };
  for (const made of extensions) {
    if (!platforms.includes(made.target)) yield `${made.file} is for ${made.target ?? "all platforms"}.`;
    yield* tooLarge(made.file, made.megabytes, extensionBudgets[made.target]);
    for (const [field, value] of Object.entries(wanted))
      if (JSON.stringify(made.manifest[field]) !== JSON.stringify(value))
        yield `${made.file} has another ${field} than package.json: package again.`;
    if (made.preRelease !== preRelease)
      yield `${made.file} is ${made.preRelease ? "" : "not "}for the pre-release channel: package again.`;
    for (const file of [
      "readme.md",
      "changelog.md",
      "LICENSE.txt",
      "dist/THIRD-PARTY-NOTICES.txt",
      manifest.icon,
    ])
      if (!made.files.includes(`extension/${file}`)) yield `${made.file} lacks ${file}.`;
  }
}

function* tooLarge(what, megabytes, budget) {
  if (megabytes > budget)
    yield `${what} weighs ${megabytes.toFixed(1)} MB, more than ${budget}: see what came in.`;
}

function* npmProblems({ manifest, npm }) {
  if (npm === undefined) {
    yield "There is no npm package of this version in dist/.";
    return;
  }
  if (npm.manifest.version !== manifest.version || npm.manifest.private === true)
    yield "The npm package is of another version, or private: package again.";
  yield* tooLarge("The npm package", npm.megabytes, npmBudget);
  for (const file of ["LICENSE", "THIRD-PARTY-NOTICES.txt", "dist/cli.cjs"])
    if (!npm.files.includes(`package/${file}`)) yield `The npm package lacks ${file}.`;
}

/**
 * The commands that upload a release, for a person; nothing here runs them. npm takes a path without ./ for a repository of a forge, and
 * makes a provenance only in a workflow: that of the packages is with the release.
 */
export function uploadCommands({ extensions, npmFile, preRelease }) {
  const channel = preRelease ? " --pre-release" : "";
  const files = extensions.map(({ file }) => file).sort();
  return [
    `npx vsce publish${channel} --packagePath ${files.join(" ")}`,
    ...files.map((file) => `npx ovsx publish${channel} ${file}`),
    `npm publish --access public${preRelease ? " --tag next" : ""} ./${npmFile}`,
  ];
}
