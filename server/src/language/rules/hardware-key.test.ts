import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { interventionWith, sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { hardwareKey } from "./hardware-key.ts";

const check = (edits: string) =>
  void checkMarked({
    kind: "intervention",
    text: interventionWith(edits, "optimisation"),
    rules: [hardwareKey],
    files: sampleProject,
  });

describe("rule hardware-key", () => {
  it("recognises the hardware keys of the trainers anywhere in a path", () =>
    check(`  - { file: harness/config.json, path: trainer.n_gpus_per_node, from: 8, to: 4 }
                                       ^^^^^^^^^^^^^^^^^^^^^^^ hardware-key: about hardware or precision
  - { file: harness/config.json, path: actor.fsdp_config.param_offload, from: false, to: true }
                                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ hardware-key
  - { file: harness/config.json, path: temperature, from: 1, to: 2 }`));

  it("leaves frozen keys to the rule for them", () =>
    check("  - { file: harness/config.json, path: workers, from: 2, to: 4 }"));

  it("compares a config with the parent's", () =>
    void checkMarked({
      kind: "config",
      path: "harness/config.json",
      text: `{
  "temperature": 1.2,
  "bf16": true
          ^^^^ hardware-key: bf16 is about hardware or precision, which must stay the same in every version, but it differs from v4. Change it back, or freeze it in evotrainer.yaml.
}
`,
      rules: [hardwareKey],
      files: sampleProject,
      parent: { "harness/config.json": '{ "temperature": 1, "bf16": false }' },
    }));
});
