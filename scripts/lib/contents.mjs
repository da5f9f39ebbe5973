import { commitTime } from "./commitTime.mjs";
import { writeNotices } from "./notices.mjs";
import { writeSbom } from "./sbom.mjs";

/**
 * Writes what both packages say of their contents, from the bundles that are built: the notices, which they bring, and the
 * list of all that is in them. To be called before either is packaged.
 * @returns {Promise<string>} the file of the list
 */
export async function writeContents() {
  writeNotices();
  return writeSbom(await commitTime());
}
