import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { addressFields, linkOptions, repositoryAddress } from "./lib/address.mjs";
import { noticesOf } from "./lib/notices.mjs";
import { releaseProblems, uploadCommands } from "./lib/releaseProblems.mjs";
import { sbomOf } from "./lib/sbom.mjs";

const root = new URL("..", import.meta.url).pathname;
const address = "https://forge.example/owner/name";

describe("the address of the repository", () => {
  it("is that of package.json, else that of the forge, else none", () => {
    const forge = { GITHUB_SERVER_URL: "https://forge.example", GITHUB_REPOSITORY: "owner/name" };
    assert.equal(repositoryAddress({}, forge), address);
    assert.equal(
      repositoryAddress({ repository: { url: "git+https://a.example/b.git" } }, forge),
      "https://a.example/b",
    );
    assert.equal(repositoryAddress({}, {}), undefined);
  });

  it("gives packages their links, and without it they have none", () => {
    assert.deepEqual(addressFields(address).bugs, { url: `${address}/issues` });
    assert.deepEqual(linkOptions(address, "1.2.3"), [
      ...["--baseContentUrl", `${address}/blob/v1.2.3`, "--baseImagesUrl", `${address}/raw/v1.2.3`],
    ]);
    assert.deepEqual(addressFields(undefined), {});
    assert.ok(linkOptions(undefined, "1.2.3").includes("--no-rewrite-relative-links"));
  });
});

describe("a release", () => {
  const own = z
    .looseObject({ icon: z.string() })
    .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
  const manifest = { ...own, version: "1.2.0" };
  const fields = addressFields(address);
  const needed = ["readme.md", "changelog.md", "LICENSE.txt", "dist/THIRD-PARTY-NOTICES.txt", own.icon];
  const extension = (target: string) => ({
    ...{ file: `dist/evotrainer-1.2.0-${target}.vsix`, target, preRelease: false, megabytes: 20 },
    manifest: { ...manifest, ...fields },
    files: needed.map((file) => `extension/${file}`),
  });
  const ready = {
    ...{ manifest, address, preRelease: false, hasSbom: true },
    changelog: "# Changelog\n\n## [1.2.0] - 2026-01-01\n",
    icon: { width: 256, height: 256 },
    git: { isClean: true, tags: ["v1.2.0"] },
    platforms: ["linux-x64", "darwin-arm64"],
    extensions: [extension("linux-x64"), extension("darwin-arm64")],
    npm: {
      ...{ manifest: { version: "1.2.0" }, megabytes: 2 },
      files: ["package/LICENSE", "package/THIRD-PARTY-NOTICES.txt", "package/dist/cli.cjs"],
    },
  };
  const [linux, darwin] = ready.extensions;

  it("that is ready can be uploaded by three programs, which this one does not run", () => {
    assert.deepEqual(releaseProblems(ready), []);
    const commands = uploadCommands({ ...ready, npmFile: "dist/evotrainer-1.2.0.tgz" });
    assert.deepEqual(
      commands.map((command) => command.split(" ").slice(0, 3).join(" ")),
      ["npx vsce publish", "npx ovsx publish", "npx ovsx publish", "npm publish --access"],
    );
  });

  it("gives npm a path that it takes for a file, and asks for nothing that only a workflow of a forge can do", () => {
    const command = uploadCommands({ ...ready, npmFile: "dist/evotrainer-1.2.0.tgz" }).at(-1) ?? "";
    // npm takes `dist/…` for a repository of a forge, and makes a provenance only where a forge runs it.
    assert.match(command, / \.\/dist\/evotrainer-1\.2\.0\.tgz$/);
    assert.doesNotMatch(command, /--provenance/);
  });

  const lacking: readonly (readonly [what: string, change: object, said: RegExp])[] = [
    ["no address", { address: undefined }, /Nothing says where the repository is/],
    ["no publisher", { manifest: { ...manifest, publisher: "" } }, /names no publisher/],
    ["a small icon", { icon: { width: 64, height: 64 } }, /64 x 64 pixels/],
    ["an icon that is no picture", { icon: undefined }, /is no PNG/],
    ["no banner", { manifest: { ...manifest, galleryBanner: undefined } }, /no galleryBanner/],
    ["an unknown category", { manifest: { ...manifest, categories: ["Machines"] } }, /no category Machines/],
    ["no section of the changelog", { changelog: "## Unreleased\n" }, /no section "## 1\.2\.0"/],
    ["changes", { git: { isClean: false, tags: ["v1.2.0"] } }, /not committed/],
    ["no tag", { git: { isClean: true, tags: [""] } }, /has no tag v1\.2\.0/],
    ["an even minor number as a pre-release", { preRelease: true }, /an even minor number/],
    ["a platform too few", { extensions: [linux] }, /no package of the extension for darwin-arm64/],
    ["a platform that is none", { extensions: [linux, darwin, extension("web")] }, /is for web/],
    ["a package of another release", { extensions: [darwin, { ...linux, manifest: {} }] }, /another version/],
    ["a package without notices", { extensions: [darwin, { ...linux, files: [] }] }, /lacks dist\/THIRD/],
    [
      "a package that is too large",
      { extensions: [darwin, { ...linux, megabytes: 31.94 }] },
      /linux-x64\.vsix weighs 31\.9 MB, more than 30/,
    ],
    [
      "an npm package that is too large",
      { npm: { ...ready.npm, megabytes: 4.3 } },
      /npm package weighs 4\.3 MB/,
    ],
    ["no npm package", { npm: undefined }, /no npm package/],
    ["a private npm package", { npm: { ...ready.npm, manifest: { ...manifest } } }, /private/],
    ["no list of contents", { hasSbom: false }, /no list of what the packages contain/],
  ];
  for (const [what, change, said] of lacking)
    it(`with ${what} is refused`, () => {
      const problems = releaseProblems({ ...ready, ...change });
      assert.ok(
        problems.some((problem) => said.test(problem)),
        problems.join("\n"),
      );
    });
});

describe("what is shipped of others", () => {
  const one = { name: "one", version: "1.0.0", license: "MIT" };

  it("is refused under a licence that nobody agreed to, and without the text of its licence", () => {
    assert.throws(() => noticesOf([{ ...one, license: "AGPL-3.0", folder: undefined }]), /licence AGPL-3\.0/);
    assert.throws(
      () => noticesOf([{ ...one, folder: join(root, "syntaxes") }]),
      /brings no text of its licence/,
    );
    assert.match(noticesOf([{ ...one, folder: root }]), /one 1\.0\.0 \(MIT\)[^]*Apache License/);
  });

  it("is a list that holds nothing else and comes out equal each time", () => {
    const component = (name: string) => ({
      ...{ "bom-ref": `${name}@1.0.0`, name, scope: "optional" },
      properties: [{ name: "cdx:npm:package:development", value: "true" }],
    });
    const all = (stamp: string) => ({
      ...{ $schema: "s", bomFormat: "CycloneDX", specVersion: "1.5", version: 1, serialNumber: stamp },
      metadata: { timestamp: stamp, component: { "bom-ref": "us@1", name: "folder" } },
      components: [component("tool"), component("one")],
      dependencies: [
        { ref: "us@1", dependsOn: ["tool@1.0.0", "one@1.0.0"] },
        { ref: "tool@1.0.0", dependsOn: [] },
      ],
    });
    const made = { name: "us", seconds: 1 };
    const packages = [{ ...one, folder: undefined }];
    const first = sbomOf(all("a"), packages, made);
    assert.deepEqual(first, sbomOf(all("b"), packages, made));
    assert.deepEqual(
      first.components.map(({ name, scope }) => [name, scope]),
      [["one", "required"]],
    );
    assert.deepEqual(first.dependencies, [{ ref: "us@1", dependsOn: ["one@1.0.0"] }]);
    assert.match(first.serialNumber, /^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
    assert.throws(
      () => sbomOf(all("a"), [{ ...one, version: "2.0.0", folder: undefined }], made),
      /does not list one@2\.0\.0/,
    );
  });
});
