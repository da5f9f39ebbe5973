// Written by scripts/schemas.ts from the verbs: npm run schemas.
/** What each verb does, in the order in which the help lists them. */
export const verbWords: Readonly<Record<string, string>> = {
  init: "make a project to start from, or add one to a folder that you already have; no file is overwritten",
  check: "check every spec of the project, or of a folder with diagnostics",
  lsp: "run the language server for an editor, by default on standard input and output",
  mcp: "serve the tools for an assistant that speaks MCP, on standard input and output",
  agents: "teach coding agents to read the evidence of a project and to propose",
  import: "import evidence of any known format into the archive, and report what it lacks",
  attach: "follow a run that somebody else started: a folder, or host:folder over ssh; reads only",
  validate: "check evidence files against the contract",
  diagnose:
    "say what is wrong with a version: its scores, signals, behaviours and labels, and the alerts and rules that follow",
  rollouts: "list the rollouts of a version; `rollouts show <run>/<id>` prints one trajectory",
  label: "say whether a rollout has a label; `label queue` lists the questions whose answers would help most",
  backtest:
    "try a spec on the archive: a diagnostic on past versions, a reward and its filter on archived rollouts",
  curriculum:
    "try samplers and a gate on archived pass rates: how many groups of a step would give a gradient, and which items would be seen",
  pentest:
    "have a reward grade hostile answers in the sandbox of a job, and list those that score: a file.py, a file.py:function, or a program",
  gaps: "find failures that no label explains, and draft diagnostics that would explain them",
  compare: "compare two versions item by item: interval, verdict, and how many items you would need",
  lineage:
    "show all versions with their decisions and the reasons, or one version. To annotate one: note, tag, untag or name <version> <words>. After somebody changed the ledger by hand: accept",
  cases: "list the decided versions most like a version, and how they ended",
  items:
    "show how many rollouts of every item passed in each version; items that went back and forth come first",
  tripwires:
    "show how often each alarm on training curves was false on archived runs, and which alarms may stop a job",
  replay:
    "decide every version of the lineage again under other rules, without training; without options, under the recorded rules",
  export: "write a report of the evolution: versions, decisions and what they rest on, approvals, costs",
  propose: "propose changes to a version; each waits for review",
  proposers: "who proposes changes here, and how often they were right; exam: how well one ranks old drafts",
  hint: "tell models and agents what to look at; without a text, the hints and what came of them",
  review:
    "list what is waiting, and at which gate; show a proposal; answer a gate (approve, revise or reject); or try a proposal's code",
  revert: "revert a version: make a new version with the files of its parent",
  promote: "open the audit split for a kept version, and report the generalisation gap",
  trust: "show the key that you sign with, or trust a teammate's key to make what it signed count here",
  doctor:
    "check the hosts that jobs can run on, and whether the evidence of ended jobs is unchanged; say what is wrong and how to fix it",
  host: "the hosts that jobs can run on",
  calibrate: "train the baseline on several seeds, and say how small a difference this project can detect",
  evolve: "run the loop, or continue it",
  budget: "show what the evolution has spent, what is left, and what the next version will take",
  jobs: "list the jobs of this project and how they ended",
  logs: "show what a job printed",
  cancel: "stop a job",
  rerun: "run an unfinished job again, under a new name, with the same version, seed and host",
  skills:
    "changes that helped, with what came of each use: list, save, apply and retire them, or carry them to other projects",
  archive: "the index over all evidence: what it holds, and how much disk space it takes",
  completion: "print the script that completes verbs, options and names in your shell",
};
