import { ProjectPath } from "../../../../shared/spec/common.ts";
import { refused, shown, type PatchLines } from "./patchLines.ts";

/** Which file a part of a patch is about, and whether it is there before and after. */
export interface PatchNames {
  readonly path: string;
  readonly type: "change" | "add" | "remove";
}

const gone = "/dev/null";

/** Reads what stands above the hunks of a file. @throws HarnessError badInput */
export function readNames(reader: PatchLines): PatchNames {
  const line = reader.lines[reader.at] ?? "";
  const begins = reader.at + 1;
  const isGit = line.startsWith("diff --git ");
  const header = isGit ? line.slice("diff --git ".length) : undefined;
  if (isGit) reader.at++;
  const modes = isGit ? readGitHeaders(reader, header ?? "") : {};
  const [from, to] = [readName(reader, "---"), readName(reader, "+++")];
  if (from === undefined || to === undefined) {
    const path = header === undefined ? undefined : pathInHeader(header);
    // Git writes no names for an empty file that comes or goes.
    if (from !== undefined || to !== undefined || path === undefined || modes.type === undefined)
      throw refused(
        `Line ${begins} of the patch does not begin a file: two lines, --- a/<file> and +++ b/<file>, are missing. It is ${shown(line)}`,
      );
    return { path: checkedPath(path), type: modes.type };
  }
  return checked(namesOf(from, to, isGit), modes.type, header);
}

function checked(
  names: PatchNames,
  type: PatchNames["type"] | undefined,
  header: string | undefined,
): PatchNames {
  const path = checkedPath(names.path);
  if (header !== undefined && header !== `a/${path} b/${path}`)
    throw refused(
      `The patch names ${path} below the line diff --git ${shown(header)} Both must name one file.`,
    );
  if (type !== undefined && type !== names.type)
    throw refused(
      `The patch says of ${path} that it is ${type === "add" ? "added" : "removed"}, but its --- and +++ lines say otherwise.`,
    );
  return { path, type: names.type };
}

function namesOf(from: string, to: string, isGit: boolean): PatchNames {
  if (from === gone && to === gone) throw refused("The patch names no file: both sides are /dev/null.");
  const [before, after] = [from, to].map((name, i) => {
    const prefix = i === 0 ? "a/" : "b/";
    return name.startsWith(prefix) ? name.slice(prefix.length) : isGit && name !== gone ? undefined : name;
  });
  if (before === undefined || after === undefined)
    throw refused(
      `The patch names ${before === undefined ? from : to}; names begin with a/ and b/ after diff --git.`,
    );
  if (from === gone) return { path: after, type: "add" };
  if (to === gone) return { path: before, type: "remove" };
  if (before === after) return { path: before, type: "change" };
  // Both may be without prefixes, in a folder that is called a or b.
  if (from === to) return { path: from, type: "change" };
  throw renamed(before, after);
}

const renamed = (from: string, to: string) =>
  refused(
    `The patch renames ${from} to ${to}; write it as one file that is removed and one that is added (git diff --no-renames).`,
  );

/** Headers that only git writes. Whatever is not just a text that comes or goes is refused by name. */
function readGitHeaders(reader: PatchLines, header: string): { readonly type?: PatchNames["type"] } {
  const path = pathInHeader(header) ?? header;
  let type: PatchNames["type"] | undefined;
  for (; reader.at < reader.lines.length; reader.at++) {
    const line = reader.lines[reader.at] ?? "";
    const mode = /^(new file|deleted file|old|new) mode (\d+)$/.exec(line);
    const index = /^index [0-9a-f]+\.\.[0-9a-f]+(?: (\d+))?$/.exec(line);
    if (mode !== null) {
      const [, what = "", digits = ""] = mode;
      refuseMode(path, digits);
      if (what === "old" || what === "new")
        throw refused(`The patch changes the mode of ${path}; a patch changes lines only.`);
      if (what === "new file" && digits !== "100644")
        throw refused(`The patch adds ${path} with mode ${digits}; new files have mode 100644.`);
      type = what === "new file" ? "add" : "remove";
    } else if (index !== null) refuseMode(path, index[1] ?? "100644");
    else if (/^(?:(?:dis)?similarity index|rename|copy) /.test(line)) refuseRename(reader, header);
    else if (/^(?:GIT binary patch|Binary files )/.test(line))
      throw refused(`The patch changes ${path} as a binary file; only texts can be changed by a patch.`);
    else break;
  }
  return type === undefined ? {} : { type };
}

function refuseMode(path: string, mode: string): void {
  if (mode === "120000")
    throw refused(`In the patch, ${path} is a symbolic link; a patch changes regular files only.`);
  if (mode === "160000")
    throw refused(`In the patch, ${path} is a submodule; a patch changes regular files only.`);
  if (!/^100(?:644|755)$/.test(mode))
    throw refused(`In the patch, ${path} has the mode ${mode}; a patch changes regular files only.`);
}

function refuseRename(reader: PatchLines, header: string): never {
  const rest = reader.lines.slice(reader.at, reader.at + 4);
  const named = (word: string): string | undefined =>
    rest
      .map((line) => new RegExp(`^(?:rename|copy) ${word} (.*)$`).exec(line)?.[1])
      .find((n) => n !== undefined);
  throw renamed(named("from") ?? header, named("to") ?? "another name");
}

/** `a/x b/x` names x, however many spaces are in it. */
function pathInHeader(header: string): string | undefined {
  const length = (header.length - "a/ b/".length) / 2;
  const path = header.slice(2, 2 + length);
  return length > 0 && header === `a/${path} b/${path}` ? path : undefined;
}

function readName(reader: PatchLines, sign: "---" | "+++"): string | undefined {
  const line = reader.lines[reader.at];
  if (line?.startsWith(`${sign} `) !== true) return undefined;
  reader.at++;
  // diff -u writes a time after a tab.
  const name = line.slice(4).split("\t", 1)[0] ?? "";
  if (name.startsWith('"'))
    throw refused(
      `The patch writes the name ${name} in quotes; write it as it is (git -c core.quotePath=false diff).`,
    );
  return name;
}

/** @throws HarnessError badInput for a name that leads out of the project, or that some system reads otherwise */
function checkedPath(path: string): string {
  const steps = path.split("/");
  const isOdd = steps.some((step) => step === "" || step === "." || step !== step.trim());
  if (!ProjectPath.safeParse(path).success || isOdd || /[\u0000-\u001f\u007f]|^[A-Za-z]:/.test(path))
    throw refused(
      `The patch names ${JSON.stringify(path)}, which is not a file inside the project; name it by its path from the project's folder.`,
    );
  return path;
}
