import { peopleFixture } from "./compareFixture.ts";
import {
  rolloutProtocol,
  type ShownRollout,
  type ShownTurn,
} from "../../../shared/protocol/views/rollout.ts";
import type { Theme } from "./themes.ts";
import type { ViewHost } from "./viewHost.ts";

/** Text that tries everything: markup, terminal escapes, characters that reorder text, links that would do something. */
export const nastyText =
  '<img src=x onerror="document.title=1"><script>document.title=2</script>\n\u001b[31mred\u001b[0m \u202egnp.exe\u202c \u200b[link](command:workbench.action.quit) vscode://x';

const turn = (index: number): ShownTurn => {
  if (index === 0) return { role: "user", text: "Mend the parser so that the tests pass." };
  const failed = index % 3 === 0;
  return index % 2 === 1
    ? {
        role: "assistant",
        text: `I look at the file, try ${index}.`,
        tool: "bash",
        args: { command: `sed -n '1,40p' src/parser_${index}.py\ngrep -n "def parse" src`, timeout: 30 },
        ok: !failed,
        tokens: 40 + index,
        ms: 900 * index,
      }
    : {
        role: "tool",
        text: index === 8 ? nastyText : `def parse(text):\n    return text.split("${index}")\n`,
      };
};

export const rolloutFixture: ShownRollout = {
  rid: 412,
  version: "v3",
  source: { path: "v3.selection.s1/rollouts.jsonl", line: 17 },
  rollout: {
    id: "0412",
    run: "v3.selection.s1",
    split: "selection",
    step: 40,
    item: "django__django-11099",
    group: "g-12",
    sample: 3,
    outcome: "fail",
    reward: 0.25,
    components: { correctness: 0, format: 1, length: -0.125 },
    stop_reason: "max_turns",
    turns: Array.from({ length: 24 }, (_, i) => turn(i)),
    tokens: 5210,
    logprob_mean: -0.412,
    policy: "step-40",
    harness: "0123456789abcdef",
    seed: 1,
    started_at: "2026-01-05T10:00:00Z",
    duration_ms: 83_400,
    extra: { step_rewards: Array.from({ length: 12 }, (_, i) => (i === 5 ? null : i / 8)) },
  },
  said: [],
  people: peopleFixture,
  notes: [{ note: "Gives up\ntoo early.", by: "ada", at: "2026-01-06T09:30:00Z" }],
  labels: [
    { label: "echo-trap", revision: "ab12", turns: [11, 13, 15] },
    { label: "no-edit", revision: "cd34", turns: [] },
  ],
  diagnostics: [
    {
      name: "echo-trap",
      severity: "critical",
      description: "The policy repeats one command and learns nothing from it.",
      when: 'longest_tool_streak >= 8 && outcome != "pass"',
      path: "harness/diagnostics/echo-trap.diagnostic.yaml",
    },
  ],
};

export const rolloutMessage = (shown: ShownRollout, focus: string | number | null = null): unknown => ({
  protocol: rolloutProtocol,
  type: "state",
  state: { type: "rollout", shown, focus },
});

export interface RolloutLoad {
  readonly theme?: Theme;
  readonly kept?: unknown;
  readonly focus?: string | number | null;
}

/** Loads the reader with a rollout, and waits until it is shown. */
export async function loadRollout(
  host: ViewHost,
  shown: ShownRollout,
  { theme, kept = null, focus = null }: RolloutLoad,
): Promise<void> {
  await host.load({
    kept,
    ...(theme === undefined ? {} : { theme }),
    answer: ({ type }) => (type === "ready" ? [rolloutMessage(shown, focus)] : []),
  });
  await host.page.locator(".summary").waitFor();
}
