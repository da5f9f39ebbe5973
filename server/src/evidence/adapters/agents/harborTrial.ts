import { fieldsAt, isFields, nameAt, type Fields } from "../parts/untrusted.ts";

/** Whether a document is the result of a Harbor trial; that of a job has the statistics of many. */
export const isTrial = (document: unknown): document is Fields =>
  isFields(document) &&
  nameAt(document, "trial_name") !== undefined &&
  nameAt(document, "task_name") !== undefined &&
  fieldsAt(document, "agent_info") !== undefined &&
  "verifier_result" in document &&
  "exception_info" in document;
