/**
 * The address of the repository on its forge: what package.json names as `repository`, or else the repository that the workflow of
 * a forge builds. There is none on a machine where neither says so, and then packages name none and keep relative links.
 * @param {{ repository?: string | { url: string } }} manifest
 * @param {Record<string, string | undefined>} [env]
 * @returns {string | undefined} without `.git`
 */
export function repositoryAddress(manifest, env = process.env) {
  const { repository } = manifest;
  const named = typeof repository === "object" ? repository.url : repository;
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = env;
  const address = named ?? (server && name ? `${server}/${name}` : undefined);
  return address?.replace(/^git\+/, "").replace(/\.git$/, "");
}

/** What both packages say about where they come from and where a mistake is reported. */
export function addressFields(address) {
  if (address === undefined) return {};
  return {
    repository: { type: "git", url: `git+${address}.git` },
    bugs: { url: `${address}/issues` },
    homepage: `${address}#readme`,
  };
}

/** What makes links and pictures of the README work on a page that has only the README: they lead to the tag of the release. */
export function linkOptions(address, version) {
  if (address === undefined) return ["--allow-missing-repository", "--no-rewrite-relative-links"];
  return ["--baseContentUrl", `${address}/blob/v${version}`, "--baseImagesUrl", `${address}/raw/v${version}`];
}
