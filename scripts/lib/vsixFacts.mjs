import { text } from "node:stream/consumers";
import { openPromise } from "yauzl";

/**
 * What a package of the extension says of itself, and how its files are stored.
 * @param {string} file a .vsix
 * @returns {Promise<{ target: string | undefined, preRelease: boolean, manifest: object, files: string[], times: number[] }>}
 *   times: when each file was changed, as the package says, in DOS's format
 */
export async function vsixFacts(file) {
  const zip = await openPromise(file, { autoClose: false, lazyEntries: true });
  try {
    const [files, times, read] = [[], [], new Map()];
    for await (const entry of zip.eachEntry()) {
      files.push(entry.fileName);
      times.push(entry.lastModFileDate * 0x10000 + entry.lastModFileTime);
      if (["extension/package.json", "extension.vsixmanifest"].includes(entry.fileName))
        read.set(entry.fileName, await text(await zip.openReadStreamPromise(entry)));
    }
    const said = read.get("extension.vsixmanifest") ?? "";
    return {
      target: /TargetPlatform="([^"]+)"/.exec(said)?.[1],
      preRelease: /Id="Microsoft\.VisualStudio\.Code\.PreRelease" Value="true"/.test(said),
      manifest: JSON.parse(read.get("extension/package.json") ?? "{}"),
      ...{ files, times },
    };
  } finally {
    zip.close();
  }
}
