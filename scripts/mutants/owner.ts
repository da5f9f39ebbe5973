import { of } from "./mutant.ts";

const serve = ["server/src/engine/owner/serve.test.ts"];
const owner = ["server/src/engine/owner/owner.test.ts"];
const address = ["server/src/engine/owner/address.test.ts"];
const ownerFile = ["server/src/engine/workspace/ownerFile.test.ts"];
const untrusted = ["server/src/engine/services/untrusted.test.ts"];

/** Who may ask the owner of the archive, and what nobody may have it run. */
export const ownerGuards = [
  ...of("server/src/engine/owner/serve.ts", serve, [
    [
      "The owner of the archive answers nobody who does not show its token.",
      "!hello.success || !sameToken(hello.data.token, owner.token)",
      "!hello.success",
    ],
    ["The owner answers no question before the token.", "    if (!known) {", "    if (false) {"],
    ["A client of another release is not answered.", "known = sameRelease(hello.data);", "known = true;"],
    [
      "A message without end fills no memory of the owner.",
      "if (incomplete > (known ? limits.clientBytes : limits.strangerBytes)) socket.destroy();",
      "",
    ],
  ]),
  ...of("server/src/engine/owner/owner.ts", owner, [
    [
      "The socket of the owner is for its user alone.",
      `if (process.platform !== "win32") await chmod(address, 0o600);`,
      "",
    ],
    ["The folder of the archive is for its user alone.", "await privateFolder(folder);", ""],
  ]),
  ...of("server/src/engine/owner/address.ts", address, [
    [
      "The owner listens in no folder that others can enter.",
      "found?.isDirectory() === true && isPrivate(found)",
      "found?.isDirectory() === true",
    ],
    [
      "The owner listens in no folder that a link leads to.",
      "await lstat(folder)",
      "await lstat(`${folder}/.`)",
    ],
  ]),
  ...of("server/src/engine/workspace/ownerFile.ts", owner, [
    [
      "The token of the owner can be read by its user alone.",
      "`${JSON.stringify(content)}\\n`, { mode: 0o600 });",
      "`${JSON.stringify(content)}\\n`);",
    ],
    [
      "A token that others could have written is shown to nobody.",
      "!found.isFile() || !isPrivate(found)",
      "!found.isFile()",
    ],
  ]),
  ...of("server/src/engine/workspace/ownerFile.ts", ownerFile, [
    [
      "A token that another user wrote is shown to nobody.",
      "(found.uid === uid && (found.mode & 0o077) === 0)",
      "(found.mode & 0o077) === 0",
    ],
    ["A token is read from a plain file only.", "!found.isFile() || !isPrivate(found)", "!isPrivate(found)"],
  ]),
  ...of("server/src/engine/workspace/service.ts", untrusted, [
    [
      "Who asks the engine names a service, and nothing that every object has.",
      "Object.hasOwn(table, name) ? table[name] : undefined",
      "table[name]",
    ],
  ]),
  ...of("server/src/engine/workspace/trusted.ts", untrusted, [
    ["Nothing of the project is run in a workspace that is not trusted.", "if (!trusted)", "if (false)"],
  ]),
  ...of("server/src/engine/jobs/startRerun.ts", untrusted, [
    [
      "No job is run again in a workspace that is not trusted.",
      `assertTrusted(context, "Running a job again");`,
      "",
    ],
  ]),
  ...of("server/src/engine/jobs/cancelJob.ts", untrusted, [
    [
      "No host is asked to end a job in a workspace that is not trusted.",
      `assertTrusted(context, "Cancelling a job");`,
      "",
    ],
  ]),
  ...of("server/src/engine/evolution/evolution.ts", untrusted, [
    [
      "No evolution is started in a workspace that is not trusted.",
      `assertTrusted(context, "An evolution");\n    return startEvolution(context.root, { ...options, more`,
      "return startEvolution(context.root, { ...options, more",
    ],
    [
      "No evolution is continued in a workspace that is not trusted.",
      `assertTrusted(context, "An evolution");\n    return startEvolution(context.root, { ...options, signal`,
      "return startEvolution(context.root, { ...options, signal",
    ],
  ]),
  ...of("server/src/engine/hosts/hosts.ts", untrusted, [
    [
      "The programs of an ssh configuration are not run in a workspace that is not trusted.",
      `assertTrusted(context, "Reading your ssh configuration");`,
      "",
    ],
    [
      "No host is called in a workspace that is not trusted.",
      `assertTrusted(context, "Connecting to a host");`,
      "",
    ],
  ]),
  ...of("server/src/engine/project/labelPrograms.ts", untrusted, [
    [
      "A caller that does not trust the workspace has no program of it run.",
      "if (!trusted.caller) return untrusted.caller;",
      "",
    ],
    [
      "A window that does not trust the workspace runs no program for another one.",
      "return trusted.owner ? null : untrusted.owner;",
      "return null;",
    ],
  ]),
  ...of("server/src/engine/owner/owner.ts", untrusted, [
    [
      "An owner runs nothing of the project unless somebody says that it may.",
      "probe, trusted = false }",
      "probe, trusted = true }",
    ],
  ]),
  ...of(
    "server/src/language/protocol/lineageRequests.ts",
    ["test/lsp/server.test.ts"],
    [
      [
        "Git is not run in a workspace that is not trusted.",
        `if (!session.trusted) return { type: "untrusted" };`,
        "",
      ],
      [
        "Git is not asked about a version in a workspace that is not trusted.",
        "if (!session.trusted || askVersion === undefined)",
        "if (askVersion === undefined)",
      ],
    ],
  ),
  ...of(
    "server/src/language/protocol/lifecycle.ts",
    ["test/lsp/server.test.ts"],
    [
      [
        "Only an editor that says so is in a workspace that is trusted.",
        "session.trusted = options?.trusted === true;",
        "session.trusted = options?.trusted !== false;",
      ],
    ],
  ),
];
