// What a pointer head does per candidate: choice i has the candidates starts[i] to starts[i + 1] - 1, and `n` hidden units.
// Sums are float64 and in the order of the units, as plain numbers would give them. n must be even.

/** layer = max(0, layer + context of its choice), and logits = layer · score, before layer is rounded to float32. */
export function score(
  logits: usize,
  layer: usize,
  context: usize,
  weights: usize,
  starts: usize,
  count: i32,
  n: i32,
): void {
  const width: usize = (<usize>n) << 2;
  const zero: v128 = f64x2.splat(0);
  for (let i: i32 = 0; i < count; i++) {
    const from: i32 = load<i32>(starts + ((<usize>i) << 2));
    const to: i32 = load<i32>(starts + ((<usize>i) << 2), 4);
    const base: usize = context + <usize>i * width;
    for (let c: i32 = from; c < to; c++) {
      const row: usize = layer + <usize>c * width;
      let sum: f64 = 0;
      for (let j: usize = 0; j < width; j += 8) {
        const z: v128 = f64x2.add(
          f64x2.promote_low_f32x4(v128.load64_zero(row + j)),
          f64x2.promote_low_f32x4(v128.load64_zero(base + j)),
        );
        const h: v128 = v128.and(z, f64x2.gt(z, zero));
        v128.store64_lane(row + j, f32x4.demote_f64x2_zero(h), 0);
        const product: v128 = f64x2.mul(h, f64x2.promote_low_f32x4(v128.load64_zero(weights + j)));
        sum += f64x2.extract_lane(product, 0);
        sum += f64x2.extract_lane(product, 1);
      }
      store<f32>(logits + ((<usize>c) << 2), <f32>sum);
    }
  }
}

/** From the gradient by the logits: that of the layer, of the context (added to it) and of the weights (added to it). */
export function scoreBackward(
  slopes: usize,
  layer: usize,
  weights: usize,
  starts: usize,
  count: i32,
  n: i32,
  dLayer: usize,
  dContext: usize,
  dWeights: usize,
): void {
  const width: usize = (<usize>n) << 2;
  const zero: v128 = f64x2.splat(0);
  for (let i: i32 = 0; i < count; i++) {
    const from: i32 = load<i32>(starts + ((<usize>i) << 2));
    const to: i32 = load<i32>(starts + ((<usize>i) << 2), 4);
    const base: usize = dContext + <usize>i * width;
    for (let c: i32 = from; c < to; c++) {
      const s: v128 = f64x2.splat(<f64>load<f32>(slopes + ((<usize>c) << 2)));
      const row: usize = <usize>c * width;
      for (let j: usize = 0; j < width; j += 8) {
        const h: v128 = f64x2.promote_low_f32x4(v128.load64_zero(layer + row + j));
        const weight: v128 = f64x2.promote_low_f32x4(v128.load64_zero(weights + j));
        const d: v128 = v128.and(f64x2.mul(s, weight), f64x2.gt(h, zero));
        v128.store64_lane(dLayer + row + j, f32x4.demote_f64x2_zero(d), 0);
        const before: v128 = f64x2.promote_low_f32x4(v128.load64_zero(base + j));
        v128.store64_lane(base + j, f32x4.demote_f64x2_zero(f64x2.add(before, d)), 0);
        const into: v128 = f64x2.promote_low_f32x4(v128.load64_zero(dWeights + j));
        v128.store64_lane(dWeights + j, f32x4.demote_f64x2_zero(f64x2.add(into, f64x2.mul(s, h))), 0);
      }
    }
  }
}
