import { configKey } from "../rules/config-key.ts";
import { constantBonus } from "../rules/constant-bonus.ts";
import { currentValue } from "../rules/current-value.ts";
import { deadLabel } from "../rules/dead-label.ts";
import { duplicateName } from "../rules/duplicate-name.ts";
import { editValue } from "../rules/edit-value.ts";
import { evaluationChanged } from "../rules/evaluation-changed.ts";
import { evidenceField } from "../rules/evidence-field.ts";
import { example } from "../rules/example.ts";
import { expression } from "../rules/expression.ts";
import { factorDistance } from "../rules/factor-distance.ts";
import { frozenChanged } from "../rules/frozen-changed.ts";
import { frozenSurface } from "../rules/frozen-surface.ts";
import { frozenValue } from "../rules/frozen-value.ts";
import { gateAnswerer } from "../rules/gate-answerer.ts";
import { guardrailMetric } from "../rules/guardrail-metric.ts";
import { hardwareKey } from "../rules/hardware-key.ts";
import { hypothesisChange } from "../rules/hypothesis-change.ts";
import { knownMetric } from "../rules/known-metric.ts";
import { knownTarget } from "../rules/known-target.ts";
import { library } from "../rules/library.ts";
import { missingGuardrail } from "../rules/missing-guardrail.ts";
import { oneFactor } from "../rules/one-factor.ts";
import { rewardNoOp } from "../rules/reward-no-op.ts";
import { schema } from "../rules/schema.ts";
import { secret } from "../rules/secret.ts";
import { severalFactors } from "../rules/several-factors.ts";
import { splitOverlap } from "../rules/split-overlap.ts";
import { syntax } from "../rules/syntax.ts";
import { thresholdOrder } from "../rules/threshold-order.ts";
import { unresolvableSuccess } from "../rules/unresolvable-success.ts";
import { unusedLabel } from "../rules/unused-label.ts";
import { unvalidatedSkill } from "../rules/unvalidated-skill.ts";
import type { AnyRule } from "../rule/rule.ts";

/** Every rule that is in force. A new rule is one file and one line here; docs/rules.md has them in this order. */
export const allRules: readonly AnyRule[] = [
  syntax,
  schema,
  expression,
  evidenceField,
  example,
  library,
  duplicateName,
  knownTarget,
  knownMetric,
  oneFactor,
  frozenSurface,
  frozenValue,
  hardwareKey,
  currentValue,
  editValue,
  hypothesisChange,
  rewardNoOp,
  constantBonus,
  unresolvableSuccess,
  gateAnswerer,
  guardrailMetric,
  missingGuardrail,
  thresholdOrder,
  deadLabel,
  unusedLabel,
  unvalidatedSkill,
  splitOverlap,
  evaluationChanged,
  frozenChanged,
  severalFactors,
  factorDistance,
  configKey,
  secret,
];
