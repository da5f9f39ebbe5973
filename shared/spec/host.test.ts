import assert from "node:assert/strict";
import { HostSpec } from "./host.ts";

const takes = (host: object): boolean => HostSpec.safeParse(host).success;

describe("a host of a project", () => {
  const wrong: readonly (readonly [what: string, host: object])[] = [
    ["a user that is an option", { user: "-oProxyCommand=x" }],
    ["a user that is a short option", { user: "-v" }],
    ["a user of two words", { user: "ada -v" }],
    ["a folder that is no absolute one", { directory: "work" }],
    ["a folder with a line break", { directory: "/work\nrm -rf x" }],
    ["a Python that is an option", { python: "-c" }],
    ["a Python with a line break", { python: "python3\nid" }],
    ["a variable without a name", { environment: { "A B": "x" } }],
    ["an option of Slurm in the place of a value", { slurm: { partition: "-pother" } }],
    ["a value of Slurm with a line break", { slurm: { account: "a\n#SBATCH --wrap=id" } }],
    ["a value of Slurm that begins with a blank", { slurm: { gres: " gpu:1" } }],
    ["a very long value of Slurm", { slurm: { constraint: "x".repeat(201) } }],
    ["memory that is no number", { slurm: { memory: "--wrap=id" } }],
    ["an option of Slurm that is a word", { slurm: { options: ["id"] } }],
    ["a short option of Slurm", { slurm: { options: ["-wx"] } }],
    ["an option of Slurm with a line break", { slurm: { options: ["--comment=a\nb"] } }],
    ["an option of Slurm in two words", { slurm: { options: ["--comment a"] } }],
    ["a file above the run's folder", { artefacts: { files: ["../other/rollouts.jsonl"] } }],
    ["a file that is above it in the end", { artefacts: { files: ["a/../../other"] } }],
    ["a file anywhere", { artefacts: { files: ["/etc/passwd"] } }],
    ["a file that is a command", { artefacts: { files: ["$(id)"] } }],
    ["the run's folder itself", { artefacts: { files: ["."] } }],
  ];
  for (const [what, host] of wrong)
    it(`does not have ${what}`, () => {
      assert.equal(takes(host), false);
    });

  it("has what people write", () => {
    for (const host of [
      {},
      { user: "ada@lab", directory: "~/my work", python: "/opt/python 3/bin/python" },
      {
        slurm: {
          partition: "gpu,long",
          gres: "gpu:h100:2",
          memory: "64G",
          options: ["--exclusive", "--mail-user=a@b"],
        },
      },
      { artefacts: { files: ["tensorboard", "checkpoints/*/config.json", "..a/b"] } },
    ])
      assert.equal(takes(host), true, JSON.stringify(host));
  });
});
