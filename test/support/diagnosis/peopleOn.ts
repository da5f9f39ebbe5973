import type { LabelByPeople } from "../../../shared/protocol/results/people.ts";

const nobody = {
  labelled: { asked: 0, right: 0 },
  clear: { asked: 0, missed: 0 },
  precision: null,
  recall: null,
};

/** Three of four answers about held-out rollouts with the label say that it is right; nobody was asked about others. */
export const peopleOn = (label: string): LabelByPeople => ({
  label,
  heldOut: {
    ...nobody,
    labelled: { asked: 4, right: 3 },
    precision: { value: 0.75, low: 0.301, high: 0.954 },
  },
  tuning: nobody,
});
