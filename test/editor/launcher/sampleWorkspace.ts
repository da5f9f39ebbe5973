import { interventionWith, sampleProject } from "../../support/language/sampleProject.ts";

/** A project with one mistake of each kind that the language server can mend. */
export const sampleWorkspace: Readonly<Record<string, string>> = {
  ...sampleProject,
  "harness/diagnostics/echo-trap.diagnostic.yaml": `# A policy that repeats itself.
apiVersion: evotrainer/v1
kind: Diagnostic
name: echo-trap
layer: behaviour
label:
  when: longest_tool_streak >= 8 && outcome != "pass"
  evidence: turn.tool == streak_tool
  severty: warning
alert: { above: 0.10, critical: 0.25 }
`,
  "harness/interventions/binary.intervention.yaml": interventionWith(
    "  - { file: harness/main.reward.yaml, path: components.correctness.shape, from: linear, to: binary }",
  ).trimStart(),
  "docker-compose.yaml": "services: [\n",
};
