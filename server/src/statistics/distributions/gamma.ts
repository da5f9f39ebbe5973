/** ln Γ(x) for x > 0, relative error below 1e-14: Lanczos with g = 7, n = 9 (Numerical Recipes, 3rd ed., §6.1). */
export function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const z = x - 1;
  let sum = 0.99999999999980993;
  for (const [i, c] of lanczos.entries()) sum += c / (z + i + 1);
  const t = z + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(t) - t + Math.log(sum);
}

const lanczos = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** Regularised lower incomplete gamma function P(a, x), by its series or its continued fraction. */
export function regularizedGamma(a: number, x: number): number {
  if (x <= 0) return 0;
  const front = Math.exp(a * Math.log(x) - x - logGamma(a));
  if (x < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let n = 1; n < 10_000 && term > sum * 1e-17; n++) {
      term *= x / (a + n);
      sum += term;
    }
    return sum * front;
  }
  return 1 - front * continuedFraction((n) => (n === 0 ? [1, x + 1 - a] : [-n * (n - a), x + 2 * n + 1 - a]));
}

/** Regularised incomplete beta function I_x(a, b) for a, b > 0, by its continued fraction (ibid., §6.4). */
export function regularizedBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - regularizedBeta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x));
  const term = (n: number): readonly [number, number] => {
    if (n === 0) return [1, 1];
    const m = n >> 1;
    const top =
      n % 2 === 0
        ? (m * (b - m) * x) / ((a + n - 1) * (a + n))
        : (-(a + m) * (a + b + m) * x) / ((a + n - 1) * (a + n));
    return [top, 1];
  };
  return (front / a) * continuedFraction(term);
}

/** The value of a₀ / (b₀ + a₁ / (b₁ + …)), by the method of Lentz. */
function continuedFraction(term: (n: number) => readonly [number, number]): number {
  const tiny = 1e-300;
  const apart = (x: number): number => (x === 0 ? tiny : x);
  let value = tiny;
  let c = tiny;
  let d = 0;
  for (let n = 0; n < 100_000; n++) {
    const [a, b] = term(n);
    d = 1 / apart(b + a * d);
    c = apart(b + a / c);
    value *= c * d;
    if (n > 0 && Math.abs(c * d - 1) < 1e-16) break;
  }
  return value;
}

/** Where an increasing function of [low, high] reaches `goal`, by bisection to ten digits. */
export function solveIncreasing(
  f: (x: number) => number,
  goal: number,
  { low, high }: { low: number; high: number },
): number {
  let [a, b] = [low, high];
  for (let i = 0; i < 200 && b - a > 1e-12 * Math.max(1e-3, Math.abs(a)); i++) {
    const middle = (a + b) / 2;
    if (f(middle) < goal) a = middle;
    else b = middle;
  }
  return (a + b) / 2;
}

/** Quantile of the chi-square distribution. */
export function chiSquareQuantile(p: number, degrees: number): number {
  let high = degrees + 10;
  while (regularizedGamma(degrees / 2, high / 2) < p) high *= 2;
  return solveIncreasing((x) => regularizedGamma(degrees / 2, x / 2), p, { low: 0, high });
}
