import * as z from "zod";
import { Split } from "../../model/rollout.ts";
import { rolloutOrders } from "../../model/rolloutOrders.ts";
import { Name } from "../../spec/common.ts";
import {
  EvidenceGroups,
  EvidenceQuery,
  EvidenceRow,
  EvidenceWindow,
  groupings,
  RolloutCounts,
} from "../views/evidence.ts";
import { OpenSplit } from "../results/openSplit.ts";
import { peopleParts } from "../../words/people.ts";
import { LabelByPeople } from "../results/people.ts";
import { RolloutDivergence, ShownRollout } from "../views/rollout.ts";
import { withFiles } from "../results/diagnosticFile.ts";
import { service } from "./service.ts";

/** What a list of rollouts and their groups can be narrowed by: what the view's list can be, less its order and its texts. */
const filter = () => EvidenceQuery.omit({ search: true, note: true, orderBy: true, descending: true }).shape;

const search = () => ({
  ...EvidenceQuery.pick({ search: true }).shape,
  ignoreCase: z.boolean().exactOptional(),
});

const note = () => EvidenceQuery.pick({ note: true }).shape;

/** The same, and what a text or the notes of people narrow it to. */
const listed = () => ({ ...filter(), ...search(), ...note() });

const order = () => ({
  ...EvidenceQuery.pick({ descending: true }).shape,
  orderBy: z.enum(rolloutOrders).default("arrival"),
});

const key = () => z.object({ within: z.string().describe("A run, or a version."), id: z.string() });

/** What lists show of a rollout, where a searched text stands in it, and how many notes people wrote about it. */
const noted = () =>
  EvidenceRow.extend({
    version: z.string(),
    split: Split,
    group: z.string(),
    seed: z.number().nullable(),
  });

export const rollouts = {
  "rollouts.list": service({
    says: "One page of a version's rollouts, with the counts of all that pass the filter. With a search it also says where the text occurs, and the counts are of what was searched.",
    editor: true,
    params: () =>
      z.object({
        ...filter(),
        ...search(),
        group: z.string().exactOptional(),
        orderBy: z.enum(rolloutOrders).exactOptional(),
        descending: z.boolean().exactOptional(),
        limit: z.int().min(1).describe("The answer has at most 1000."),
        cursor: z.string().exactOptional(),
        ...withFiles(),
      }),
    result: () =>
      RolloutCounts.extend({
        version: z.string(),
        split: OpenSplit,
        rollouts: z.array(noted().omit({ notes: true })),
        unlabelled: z
          .boolean()
          .exactOptional()
          .describe(
            "True if there are labels to set that nobody has set on the rollouts of the version yet.",
          ),
        next: z.string().exactOptional(),
      }),
  }),
  "rollouts.window": service({
    says: "Rows of a list, beginning anywhere. `rows` is how many the list has; it is null while only a search could tell. The engine makes the list once and gives it a name; a request with that name stays in the same list while rollouts arrive. If the answer has another name, the engine has made the list again.",
    editor: true,
    params: () =>
      z.object({
        ...listed(),
        ...order(),
        offset: z.int().nonnegative(),
        limit: z.int().min(1).max(1000),
        list: z.string().exactOptional().describe("The name of the list, from an earlier answer."),
        counts: z.boolean().default(false).describe("Whether to count rollouts by outcome as well."),
      }),
    result: () => EvidenceWindow.extend({ version: z.string(), rollouts: z.array(noted()) }),
  }),
  "rollouts.groups": service({
    says: "How many rollouts of a filter have each label, outcome, stop reason, step or item, and how many of these pass.",
    editor: true,
    params: () =>
      z.object({
        ...filter(),
        ...note(),
        by: z.enum(groupings),
        limit: z.int().min(1).max(1000).default(200),
      }),
    result: () => EvidenceGroups.extend({ split: OpenSplit }),
  }),
  "rollouts.show": service({
    says: "One trajectory with its labels, what people said and noted about it, the turns that show the labels, and the diagnostics behind them from the work tree.",
    editor: true,
    params: () => key().extend(withFiles()),
    result: () => ShownRollout,
  }),
  "rollouts.divergence": service({
    says: "Where two rollouts part: the first action of the policy in which they differ; null if they do not differ.",
    editor: true,
    params: () => z.object({ a: key(), b: key() }),
    result: () => RolloutDivergence,
  }),
  "rollouts.note": service({
    says: "Writes down what a person notes about a rollout, for people to read.",
    editor: true,
    params: () =>
      z.object({
        run: z.string(),
        id: z.string(),
        note: z.string().trim().min(1).max(10_000),
        by: z.string().min(1),
      }),
    result: () =>
      z.object({ run: z.string(), id: z.string(), note: z.string(), by: z.string(), at: z.string() }),
  }),
  "rollouts.export": service({
    says: "Writes the rollouts of a list into a file that a person chose, one line of the evidence contract each, in the order of the list. The file appears only when it is complete.",
    editor: true,
    params: () =>
      z.object({ ...listed(), ...order(), path: z.string().min(1).describe("An absolute path.") }),
    result: () => z.object({ path: z.string(), rollouts: z.number() }),
  }),
  "rollouts.label": service({
    says: "Writes down what a person says about a rollout, to check judges against. A later answer replaces an earlier one.",
    editor: true,
    params: () =>
      z.object({
        version: z.string(),
        run: z.string(),
        id: z.string(),
        label: Name.describe("The name of a diagnostic over rollouts."),
        labelled: z.boolean(),
        by: z.string().min(1),
        note: z.string().min(1).max(10_000).exactOptional(),
      }),
    result: () =>
      z.object({
        version: z.string(),
        run: z.string(),
        id: z.string(),
        label: z.string(),
        labelled: z.boolean(),
        by: z.string(),
        note: z.string().exactOptional(),
        at: z.string(),
      }),
  }),
  "rollouts.people": service({
    says: "What people's answers say of each label that they answered about: precision and recall with 95 % intervals, held-out items and tuning items apart. docs/diagnostics.md says how.",
    editor: true,
    params: () =>
      z.object({
        labels: z.array(z.string()).max(1000).exactOptional().describe("By default all."),
        ...withFiles(),
      }),
    result: () => z.object({ people: z.array(LabelByPeople) }),
  }),
  "rollouts.queue": service({
    says: "Which rollouts of a version, and which of their labels, people should be asked about first, because the answers narrow the intervals of precision and recall most. The same archive, answers and seed give the same questions.",
    editor: false,
    params: () =>
      z.object({
        version: z.string(),
        split: OpenSplit.exactOptional(),
        label: z.string().exactOptional(),
        part: z.enum(peopleParts).exactOptional(),
        seed: z
          .int()
          .nonnegative()
          .max(2 ** 31)
          .default(1),
        limit: z.int().min(1).max(200).default(10),
      }),
    result: () =>
      z.object({
        version: z.string(),
        split: OpenSplit,
        seed: z.number(),
        questions: z.array(
          z.object({
            label: z.string(),
            run: z.string(),
            id: z.string(),
            item: z.string(),
            part: z.enum(peopleParts),
            labelled: z.boolean().describe("Whether the rollout has the label."),
          }),
        ),
      }),
  }),
};
