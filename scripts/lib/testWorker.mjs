// Runs test files that the parent names, one after another, in one process: what they share is loaded once.
import "../../test/support/base/certificates.mjs";
import { readdirSync, readFileSync } from "node:fs";
import Mocha from "mocha";

/** Timeouts are for tests that hang; on a busy machine one that does not hang takes several times as long. */
const patience = Number(process.env.EVOTRAINER_PATIENCE ?? 1);
const { timeout } = Mocha.Runnable.prototype;
Mocha.Runnable.prototype.timeout = function (...given) {
  return given.length === 0 ? timeout.call(this) : timeout.call(this, given[0] * patience);
};

/** What /proc says of a process: who started it, and the milliseconds that it and those it has waited for took. */
function processorOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
    return {
      pid,
      parent: fields[1],
      milliseconds: fields.slice(11, 15).reduce((sum, t) => sum + Number(t) * 10, 0),
    };
  } catch {
    return undefined;
  }
}

/**
 * Processor time in milliseconds of this process, of those that it has waited for, and of those below it that still run, such as
 * what runs verbs for several files, where the system tells it.
 */
function processorTime() {
  const self = processorOf("self");
  if (self === undefined) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
  const others = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => processorOf(pid) ?? []);
  const below = (parent) =>
    others
      .filter((other) => other.parent === parent)
      .reduce((sum, { pid, milliseconds }) => sum + milliseconds + below(pid), 0);
  return self.milliseconds + below(String(process.pid));
}

const entry = (test, state, error) => ({
  title: test.fullTitle(),
  state,
  milliseconds: test.duration,
  ...(error && { error: error.stack ?? String(error.message ?? error) }),
});

/** Failures of hooks count as failed tests. */
class Verdicts {
  constructor(runner) {
    runner.verdicts = [];
    runner.on("pass", (test) => runner.verdicts.push(entry(test, "passed")));
    runner.on("fail", (test, error) => runner.verdicts.push(entry(test, "failed", error)));
    runner.on("pending", (test) => runner.verdicts.push(entry(test, "skipped")));
  }
}

async function runFile({ module, timeout: limit, env }) {
  Object.assign(process.env, env);
  const [began, spent] = [performance.now(), processorTime()];
  const mocha = new Mocha({ reporter: Verdicts, timeout: limit });
  mocha.addFile(module);
  await mocha.loadFilesAsync();
  const runner = await new Promise((resolve) => {
    const running = mocha.run(() => resolve(running));
  });
  // Or it goes on listening for rejections beside those of the files that come next, and each hands every one on to all.
  runner.dispose();
  return {
    verdicts: runner.verdicts,
    milliseconds: Math.round(performance.now() - began),
    processor: processorTime() - spent,
    memory: process.memoryUsage.rss(),
  };
}

// As Mocha's own program does: a rejection that nobody handles fails the test that is running.
process.on("unhandledRejection", (reason) => {
  throw reason;
});

/** What test files left running for those that come next ends here (`test/support/base/endOfRun.ts`). */
const atEnd = [];
Reflect.set(globalThis, Symbol.for("evotrainer.endOfRun"), atEnd);

process.on("message", (order) => {
  if (order.isLast) {
    void Promise.allSettled(atEnd.map((work) => work())).then(() => process.exit());
    return;
  }
  runFile(order).then(
    (result) => process.send(result),
    (error) => process.send({ error: error.stack ?? String(error) }),
  );
});

// When the parent is gone, so is all that was started here.
process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"));
