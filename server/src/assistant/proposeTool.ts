import { z } from "zod";
import { Name } from "../../../shared/spec/common.ts";
import { InterventionSpec } from "../../../shared/spec/intervention.ts";
import { HarnessError } from "../base/errors.ts";
import { describeProblems } from "../project/project.ts";
import { readSpec } from "../project/readSpec.ts";
import { defineTool } from "./tool.ts";

export const proposeTool = defineTool({
  name: "evotrainer_propose",
  title: "Draft a proposal",
  description:
    "Drafts a proposal, which is one falsifiable change of exactly one factor. EvoTrainer commits it on a separate branch, where it waits at the design gate until a person answers. It trains and merges nothing and leaves the user's files as they are. Give the YAML text of an Intervention, or the name of one in the project. Backtest it first.",
  writes: true,
  quotes: false,
  input: z.object({
    text: z.string().max(100_000).exactOptional().describe("An Intervention spec as YAML."),
    intervention: Name.exactOptional().describe(
      "Instead of text: the name of an intervention of the project.",
    ),
    parent: Name.exactOptional().describe("The version to change; by default the evolution's champion."),
  }),
  async run({ ask }, { text, intervention, parent }) {
    const given = text === undefined ? intervention : written(text);
    if (given === undefined)
      throw new HarnessError("badInput", "Give the text of an intervention, or the name of one.");
    const asked = {
      intervention: given,
      proposer: "assistant",
      trusted: false,
      ...(parent === undefined ? {} : { parent }),
    };
    const { proposals } = await ask("proposals.make", asked);
    return { facts: { waiting: "A person answers each of them at the design gate.", proposals } };
  },
});

function written(text: string): InterventionSpec {
  const read = readSpec("draft.intervention.yaml", text, InterventionSpec);
  if (!read.ok) throw new HarnessError("specInvalid", describeProblems(read.problems));
  return read.value;
}
