import assert from "node:assert/strict";
import { newestAnswer } from "./newestAnswer.ts";

describe("a question that is asked again before it is answered", () => {
  const asked: { resolve: (answer: string) => void; reject: (reason: Error) => void }[] = [];
  const taken: string[] = [];
  const look = newestAnswer(
    () => new Promise<string>((resolve, reject) => asked.push({ resolve, reject })),
    (answer) => void taken.push(answer),
  );
  beforeEach(() => {
    asked.length = 0;
    taken.length = 0;
  });

  it("is answered by the later answer, whichever comes first", async () => {
    const both = [look(), look()];
    asked[1]?.resolve("new");
    await both[1];
    asked[0]?.resolve("old");
    await both[0];
    assert.deepEqual(taken, ["new"]);
  });

  it("takes every answer that comes in order, also after one that failed", async () => {
    const all = [look(), look(), look()];
    asked[0]?.resolve("first");
    await all[0];
    asked[1]?.reject(new Error("down"));
    await assert.rejects(all[1] ?? Promise.resolve(), /down/);
    asked[2]?.resolve("third");
    await all[2];
    assert.deepEqual(taken, ["first", "third"]);
  });

  it("takes an answer whose follower failed", async () => {
    const both = [look(), look()];
    asked[1]?.reject(new Error("down"));
    await assert.rejects(both[1] ?? Promise.resolve(), /down/);
    asked[0]?.resolve("old");
    await both[0];
    assert.deepEqual(taken, ["old"]);
  });
});
