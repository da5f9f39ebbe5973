import { h, type VNode } from "vue";
import review from "../../../docs/images/review.png";
import trajectory from "../../../docs/images/trajectory.png";
import version from "../../../docs/images/version.png";

const scenes = [
  {
    src: trajectory,
    alt: "A trajectory in the editor, opened at the turn that shows its label",
    text: "A rollout that failed, its labels, and the turn that shows each.",
  },
  {
    src: review,
    alt: "A change of one value in the diff editor, with its reason beside it",
    text: "A change of one value, with its reason. You accept it, revise it, or reject it.",
  },
  {
    src: version,
    alt: "The page of a version: 23.2 points better than its parent, with the interval and the labels that moved",
    text: "The verdict on a version, with its interval, and what changed in its rollouts.",
  },
];

/** Three pictures of the real product, one after the other: a rollout and its label, an edit, a verdict. */
export const story = (): VNode =>
  h(
    "div",
    { class: "story" },
    scenes.map(({ src, alt, text }, i) =>
      h("figure", [h("img", { src, alt }), h("figcaption", `${i + 1} of ${scenes.length}. ${text}`)]),
    ),
  );
