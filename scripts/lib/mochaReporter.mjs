import { writeFileSync } from "node:fs";

/** One line of a report: how every suite, whatever runs it, tells what happened. */
const entry = (test, state, error) => ({
  title: test.fullTitle(),
  state,
  file: test.file,
  milliseconds: test.duration,
  ...(error && { error: error.stack ?? String(error.message ?? error) }),
});

/**
 * Writes the verdicts of a mocha run as JSON to the file in EVOTRAINER_REPORT. Failures of hooks count as failed tests;
 * without a report the caller knows that the run broke off.
 */
export default class ReportWriter {
  constructor(runner) {
    const tests = [];
    runner.on("pass", (test) => tests.push(entry(test, "passed")));
    runner.on("fail", (test, error) => tests.push(entry(test, "failed", error)));
    runner.on("pending", (test) => tests.push(entry(test, "skipped")));
    runner.on("end", () => writeFileSync(process.env.EVOTRAINER_REPORT, JSON.stringify(tests)));
  }
}
