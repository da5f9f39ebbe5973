/**
 * Asks, and takes the answer unless a later question was answered before it: questions that are on their way at the same time
 * may be answered in any order.
 */
export function newestAnswer<T>(ask: () => Promise<T>, take: (answer: T) => void): () => Promise<void> {
  let [asked, answered] = [0, 0];
  return async () => {
    const turn = ++asked;
    const answer = await ask();
    if (turn < answered) return;
    answered = turn;
    take(answer);
  };
}
