import { ProjectSpec } from "../../../shared/spec/project.ts";

/** A project whose trainer is a shell script in the repository. */
export function testProject(
  more: {
    readonly files?: string[];
    readonly environment?: Record<string, string>;
    readonly confine?: ProjectSpec["trainer"]["confine"];
    readonly writable?: string[];
  } = {},
): ProjectSpec {
  return ProjectSpec.parse({
    apiVersion: "evotrainer/v1",
    kind: "Project",
    name: "test",
    domain: "swe",
    trainer: {
      command: ["sh", "train.sh"],
      environment: more.environment ?? {},
      confine: more.confine ?? "auto",
      writable: more.writable ?? [],
    },
    evaluation: {
      splits: { train: "data/train.jsonl", selection: "data/selection.jsonl", audit: "data/audit.jsonl" },
      files: more.files ?? ["eval"],
    },
    surfaces: [{ factor: "reward", file: "harness/main.yaml" }],
  });
}

/** A trainer that does everything the contract asks; `body` runs in the middle. */
export function trainerScript(body = ""): string {
  return `set -e
echo started >>"$EVO_RUN_DIR/starts"
cat harness/main.yaml >"$EVO_RUN_DIR/seen"
echo '{"step":1,"steps_total":2,"reward":0.25}' >>"$EVO_RUN_DIR/metrics.jsonl"
echo '{"split":"train","item":"t1"}' >>"$EVO_RUN_DIR/rollouts.jsonl"
${body}
for i in s1 s2; do echo "{\\"split\\":\\"selection\\",\\"item\\":\\"$i\\"}" >>"$EVO_RUN_DIR/rollouts.jsonl"; done
echo '{"step":2,"steps_total":2,"reward":0.5}' >>"$EVO_RUN_DIR/metrics.jsonl"
mkdir -p "$EVO_POLICY_OUT"; echo "$EVO_SEED $EVO_POLICY_IN $EVO_SPLITS $EVO_HARNESS" >"$EVO_POLICY_OUT/policy"
`;
}

/** Files of the project's repository. */
export function testProjectFiles(body?: string): Record<string, string> {
  return {
    "train.sh": trainerScript(body),
    "harness/main.yaml": "shape: flat\n",
    "eval/check.sh": "true\n",
    "eval/deep/table.txt": "1\n",
    "data/train.jsonl": '{"id":"t1"}\n{"id":"t2"}\n',
    "data/selection.jsonl": '{"id":"s1"}\n{"id":"s2"}\n',
    "data/audit.jsonl": '{"id":"a1"}\n',
  };
}

/** A shell loop that ends when the test creates `name` in the run's folder. */
export const waitFor = (name: string) => `while [ ! -e "$EVO_RUN_DIR/${name}" ]; do sleep 0.02; done`;
