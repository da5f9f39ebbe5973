/**
 * A sampler of binomial counts for up to `most` trials: by inversion where few successes are expected, otherwise by
 * transformed rejection (Hörmann 1993, "The generation of binomial random variates", algorithm BTRS).
 */
export function binomialSampler(most: number, random: () => number): (n: number, p: number) => number {
  const logFactorial = new Float64Array(most + 1);
  for (let i = 2; i <= most; i++) logFactorial[i] = (logFactorial[i - 1] ?? 0) + Math.log(i);
  const logChoose = (n: number, k: number): number =>
    (logFactorial[n] ?? 0) - (logFactorial[k] ?? 0) - (logFactorial[n - k] ?? 0);

  function inverted(n: number, p: number): number {
    const odds = p / (1 - p);
    let probability = (1 - p) ** n;
    let u = random();
    let k = 0;
    while (u > probability && k < n) {
      u -= probability;
      k++;
      probability *= (odds * (n - k + 1)) / k;
    }
    return k;
  }

  function rejected(n: number, p: number): number {
    const spread = Math.sqrt(n * p * (1 - p));
    const b = 1.15 + 2.53 * spread;
    const a = -0.0873 + 0.0248 * b + 0.01 * p;
    const accept = 0.92 - 4.2 / b;
    const mode = Math.floor((n + 1) * p);
    for (;;) {
      const u = random() - 0.5;
      const v = random();
      const edge = 0.5 - Math.abs(u);
      const k = Math.floor(((2 * a) / edge + b) * u + n * p + 0.5);
      if (k < 0 || k > n) continue;
      if (edge >= 0.07 && v <= accept) return k;
      const height = Math.log((v * (2.83 + 5.1 / b) * spread) / (a / (edge * edge) + b));
      if (height <= logChoose(n, k) - logChoose(n, mode) + (k - mode) * Math.log(p / (1 - p))) return k;
    }
  }

  return (n, p) => {
    if (n === 0 || p <= 0) return 0;
    if (p >= 1) return n;
    const q = Math.min(p, 1 - p);
    const k = n * q < 10 ? inverted(n, q) : rejected(n, q);
    return p > 0.5 ? n - k : k;
  };
}
