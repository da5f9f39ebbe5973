import assert from "node:assert/strict";
import type { Rollout, Turn } from "../../../shared/model/rollout.ts";
import { makeRollout } from "../../../test/support/evidence/evidence.ts";
import { compilePredicate } from "../predicate/compile.ts";
import { rolloutFacts } from "../predicate/facts.ts";
import { inDomain, shippedDiagnostics } from "../project/library.ts";

const guards = shippedDiagnostics()
  .map(({ spec }) => spec)
  .filter(({ name, label }) => name.startsWith("leak-") && label.invalidates);

/** A command that each guard catches. */
const commands: Readonly<Record<string, string>> = {
  "leak-cherry-pick": "git cherry-pick abcdef1",
  "leak-git-diff": "git diff 1a2b3c4d5e HEAD",
  "leak-git-log": "git log --all",
  "leak-git-show": "git show 1a2b3c4d5e",
  "leak-pickaxe": "git log -S repaired",
  "leak-upstream": "git fetch origin",
};

/** What the guards say of a rollout with these turns. */
function caughtIn(turns: readonly Turn[], domain: string, more: Partial<Rollout> = {}): readonly string[] {
  const facts = rolloutFacts(makeRollout({ turns: [...turns], ...more }));
  return guards
    .filter((spec) => {
      const { label, params } = inDomain(spec, domain);
      const when = compilePredicate(label.when ?? "", "rollout", params);
      assert.ok(when.ok);
      return when.predicate.test(facts) === true;
    })
    .map(({ name }) => name);
}

const run = (command: string): Turn => ({ role: "assistant", text: "", tool: "bash", args: { command } });

/** The guards that label a rollout whose task is `task` and whose policy gives all of the commands. */
function caught(task: string, domain: string, role = "user"): readonly string[] {
  return caughtIn([{ role, text: task }, ...Object.values(commands).map(run)], domain);
}

describe("guards against leaks from the history", () => {
  const all = Object.keys(commands);

  it("are all six, and excuse the same tasks", () => {
    assert.deepEqual(
      guards.map(({ name }) => name),
      all,
    );
    const excuses = guards.map(({ label }) => label.when?.slice(label.when.indexOf("&& !(params.gitTasks")));
    assert.equal(new Set(excuses).size, 1);
  });

  const gitTasks = [
    "I just made some changes to my personal site and checked out master, but now I can't find those changes. Please help me find them and merge them into master.",
    'Configure a git server so that I can run on my computer\n    git clone user@server:/git/server\n    git commit -m "add hello.html"',
    "Resolve the merge conflict on the branch release and commit the result.",
    "Clone https://github.com/a/b and build it from source in /app.",
    "A secret was committed and removed from the git history of /app. Find it and write it to /secret.txt.",
    "Find the commit that broke `make check` with git bisect, and write its hash to /app/bad.txt.",
    "Pull the newest changes from origin and start the server.",
  ];
  for (const task of gitTasks)
    it(`leave alone what this asks for, outside swe: ${task.slice(0, 40)}…`, () => {
      assert.deepEqual(caught(task, "terminal"), []);
      assert.deepEqual(caught(task, "swe"), all);
    });

  const repairs = [
    "<uploaded_files>\n/testbed\n</uploaded_files>\nImplement the changes so that the requirements of the <pr_description> are met. Clone it with git clone https://github.com/a/b.",
    "Fix the issue: cloning from a git server fails for names with blanks.",
    "Bug: merge them into master, says the dialog, and nothing happens.",
    "The repository is in /testbed. You must not look at the git history.",
    "Do not use git bisect or the git history: repair the parser by yourself.",
    "Repair the code so that test_sum passes. Run git log --all to see what was done.",
    "",
  ];
  for (const task of repairs)
    it(`hold for a repair: ${task.slice(0, 40)}…`, () => {
      assert.deepEqual(caught(task, "terminal"), all);
      assert.deepEqual(caught(task, "swe"), all);
    });

  const ancestors: readonly (readonly [string, readonly string[]])[] = [
    ["git log -p", []],
    ["git log --oneline && git show 1a2b3c4", []],
    ["git blame a.py; git diff 1a2b3c4", []],
    ["git log -3; git show 1a2b3c4; git branch -a", ["leak-git-show"]],
    ["git log -3; git show 1a2b3c4; cat .git/packed-refs", ["leak-git-show"]],
    ["git log -3; git log --all; git diff 1a2b3c4", ["leak-git-diff", "leak-git-log"]],
    ["git show HEAD", []],
  ];
  for (const [command, found] of ancestors)
    it(`know what an ancestor of the own commit is: ${command}`, () => {
      const turns = command.split("; ").map(run);
      assert.deepEqual(caughtIn(turns, "swe"), found);
      assert.deepEqual(caughtIn(turns, "terminal"), found);
    });

  it("leave alone what a person asks for later in a session", () => {
    const later = (text: string): Turn[] => [
      { role: "user", text: "Write a parser." },
      { role: "assistant", text: "Done." },
      { role: "user", text },
      run("git fetch origin"),
    ];
    const session = { outcome: "unknown", unknown_reason: "a session is not evaluated" } as const;
    for (const text of [
      "Now rebase onto main.",
      "pull the latest changes",
      "git log --all please",
      "can you create a pull request for this work and then checkout a new branch from main",
      "yes commit the work, push the pr and then create a new branch off main",
    ])
      assert.deepEqual(caughtIn(later(text), "terminal", session), []);
    for (const text of ["Now add tests.", "Fix the bug, then rebase.", "Do what the pull request says."])
      assert.deepEqual(caughtIn(later(text), "terminal", session), ["leak-upstream"]);
    // Where a rollout is evaluated, the environment may speak as the user.
    assert.deepEqual(caughtIn(later("Now rebase onto main."), "terminal"), ["leak-upstream"]);
    assert.deepEqual(caughtIn(later("Now rebase onto main."), "swe", session), ["leak-upstream"]);
  });

  it("are not switched off by a reply that the environment writes as the user", () => {
    // Such as that of a shell in which the policy has said what would excuse it.
    const turns = [
      { role: "user", text: "Repair the code so that test_sum passes." },
      { role: "assistant", text: "", tool: "bash", args: { command: "echo git server" } },
      { role: "user", text: "git server" },
      { role: "assistant", text: "", tool: "bash", args: { command: "git show 1a2b3c4d5e" } },
    ];
    const show = guards.find(({ name }) => name === "leak-git-show");
    assert.ok(show);
    const when = compilePredicate(show.label.when ?? "", "rollout", inDomain(show, "terminal").params);
    assert.ok(when.ok);
    assert.equal(when.predicate.test(rolloutFacts(makeRollout({ turns }))), true);
  });

  it("are not switched off by what the policy or the environment writes", () => {
    for (const role of ["assistant", "tool"])
      assert.deepEqual(caught(gitTasks[1] ?? "", "terminal", role), all);
  });
});
