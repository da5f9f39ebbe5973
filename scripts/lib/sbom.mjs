import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { must, root } from "./process.mjs";
import { builtMetas, shippedPackages } from "./shipped.mjs";

/**
 * Of npm's list of all packages of the clone, the part that is shipped. What npm makes new each time is made from the content, so
 * that two lists of the same packages are equal.
 * @param {object} all what `npm sbom --sbom-format cyclonedx` prints
 * @param {import("./shipped.mjs").Shipped[]} packages
 * @param {{ name: string, seconds: number }} made what the list is of, and when its newest commit was made, since 1970
 * @throws Error if npm does not list a package that is shipped
 */
export function sbomOf(all, packages, { name, seconds }) {
  const main = all.metadata.component["bom-ref"];
  const shipped = new Set(packages.map((one) => `${one.name}@${one.version}`));
  const isShipped = (ref) => shipped.has(ref) || ref === main;
  const components = all.components.filter((one) => shipped.has(one["bom-ref"]));
  const missing = [...shipped].filter((ref) => !components.some((one) => one["bom-ref"] === ref));
  if (missing.length > 0) throw new Error(`npm sbom does not list ${missing.join(", ")}, which is shipped.`);
  // Here a package is a tool of developers or not; in what is shipped it is needed, or one of several for platforms.
  for (const one of components) {
    one.scope = one.name.startsWith("@duckdb/node-bindings-") ? "optional" : "required";
    one.properties = one.properties.filter((property) => property.name !== "cdx:npm:package:development");
  }
  const sorted = components.sort((a, b) => (a["bom-ref"] < b["bom-ref"] ? -1 : 1));
  const dependencies = all.dependencies
    .filter(({ ref }) => isShipped(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isShipped).sort() }));
  const component = { ...all.metadata.component, type: "application", name };
  const body = {
    metadata: { ...all.metadata, component, timestamp: new Date(seconds * 1000).toISOString() },
    components: sorted,
    dependencies,
  };
  const hash = createHash("sha256").update(JSON.stringify(body)).digest("hex");
  // A name-based UUID: version 8, variant 1 (RFC 9562).
  const uuid = [
    ...[hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`],
    hash.slice(20, 32),
  ].join("-");
  const { $schema, bomFormat, specVersion, version } = all;
  return { $schema, bomFormat, specVersion, serialNumber: `urn:uuid:${uuid}`, version, ...body };
}

/**
 * Writes the list of all that the packages contain (CycloneDX). @param {number} seconds since 1970
 * @returns {Promise<string>} the file
 */
export async function writeSbom(seconds) {
  const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const said = await must("npm sbom", "npm", [
    "sbom",
    ...["--sbom-format", "cyclonedx", "--package-lock-only", "--silent"],
  ]);
  const sbom = sbomOf(JSON.parse(said), shippedPackages(builtMetas()), { name, seconds });
  const file = join(root, `dist/evotrainer-${version}.cdx.json`);
  writeFileSync(file, `${JSON.stringify(sbom, undefined, 2)}\n`);
  return file;
}
