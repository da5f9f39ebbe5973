import { TestProcess } from "./testProcess.mjs";

/** With more files than this the change is at fault, and not the moment at which a test ran. */
const most = 12;

/** The verdicts of the repetition, each with the error of the first time. What failed beside the tests (a hook, the process) is kept with the first of them. */
function withFirst(verdicts, failures) {
  for (const { title, error = "" } of failures) {
    const verdict = verdicts.find((other) => other.title === title) ?? verdicts[0];
    if (verdict !== undefined && verdict.state !== "failed")
      verdict.first = [verdict.first, error].filter((text) => text !== undefined).join("\n");
  }
  return verdicts;
}

/**
 * Runs the files in which a test failed once more, alone, on the machine that is quiet by then. A test that passes now counts
 * as passed and keeps its first error as `first`, which the summary prints: something in it depends on the moment.
 * @param {readonly import("./suites.mjs").SuiteResult[]} results changed in place
 * @param {(line: string) => void} say
 */
export async function repeatFailures(results, say) {
  const failed = results.flatMap((result) =>
    (result.orders ?? [])
      .filter(({ file }) =>
        result.verdicts.some((verdict) => verdict.file === file && verdict.state === "failed"),
      )
      .map(({ file, order }) => ({ result, file, order })),
  );
  if (failed.length === 0 || failed.length > most) return;
  const worker = new TestProcess();
  try {
    for (const { result, file, order } of failed) {
      say(`again  ${file}`);
      const { verdicts } = await worker.run(order);
      result.verdicts = [
        ...result.verdicts.filter((verdict) => verdict.file !== file),
        ...withFirst(
          verdicts.map((verdict) => ({ file, ...verdict })),
          result.verdicts.filter((verdict) => verdict.file === file && verdict.state === "failed"),
        ),
      ];
    }
  } finally {
    await worker.close();
  }
}
