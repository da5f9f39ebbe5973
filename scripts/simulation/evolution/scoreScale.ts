/** Expected score of a version whose items have log odds ~ N(level, spread²): Simpson's rule over the normal density. */
function expectedScore(level: number, spread: number): number {
  const steps = 120;
  let sum = 0;
  for (let i = 0; i <= steps; i++) {
    const z = -6 + (12 * i) / steps;
    const weight = i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2;
    sum += (weight * Math.exp((-z * z) / 2)) / (1 + Math.exp(-(level + spread * z)));
  }
  return (sum * 12) / steps / 3 / Math.sqrt(2 * Math.PI);
}

/** Scores and levels of log odds, each from the other, for versions whose items and seeds spread so much. */
export class ScoreScale {
  readonly #spread: number;
  readonly #levels = new Map<string, number>();
  constructor(spread: number) {
    this.#spread = spread;
  }

  levelOf(score: number): number {
    const key = score.toFixed(6);
    const known = this.#levels.get(key);
    if (known !== undefined) return known;
    let [low, high] = [-12, 12];
    for (let i = 0; i < 50; i++) {
      const middle = (low + high) / 2;
      if (expectedScore(middle, this.#spread) < score) low = middle;
      else high = middle;
    }
    this.#levels.set(key, low);
    return low;
  }

  /** By how much the score moves for each unit of log odds, at this score. */
  slopeAt(score: number): number {
    const level = this.levelOf(score);
    return (expectedScore(level + 0.01, this.#spread) - expectedScore(level - 0.01, this.#spread)) / 0.02;
  }
}
