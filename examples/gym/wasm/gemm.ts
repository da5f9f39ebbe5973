// Matrix product for the training step: c[m×n] (+)= a[m×k] · b[k×n], float32, b and c row by row.
// a is read with a row stride and a column stride (in elements), so that the same kernel takes a transposed a.
// n must be a multiple of 8. Blocks of 4×8 results stay in registers; k is cut so that a panel of b stays in the cache.
const panel: i32 = 256;

export function gemm(
  a: usize,
  b: usize,
  c: usize,
  m: i32,
  k: i32,
  n: i32,
  rowStride: i32,
  columnStride: i32,
  accumulate: i32,
): void {
  const ra: usize = (<usize>rowStride) << 2;
  const ca: usize = (<usize>columnStride) << 2;
  const rb: usize = (<usize>n) << 2;
  for (let k0: i32 = 0; k0 < k; k0 += panel) {
    const kn: i32 = min(panel, k - k0);
    const add: bool = accumulate != 0 || k0 > 0;
    for (let j: i32 = 0; j < n; j += 8) {
      const b0: usize = b + <usize>k0 * rb + ((<usize>j) << 2);
      let i: i32 = 0;
      for (; i + 4 <= m; i += 4) {
        let pa: usize = a + <usize>i * ra + <usize>k0 * ca;
        let pb: usize = b0;
        let pc: usize = c + <usize>i * rb + ((<usize>j) << 2);
        let s00: v128 = f32x4.splat(0),
          s01: v128 = f32x4.splat(0);
        let s10: v128 = f32x4.splat(0),
          s11: v128 = f32x4.splat(0);
        let s20: v128 = f32x4.splat(0),
          s21: v128 = f32x4.splat(0);
        let s30: v128 = f32x4.splat(0),
          s31: v128 = f32x4.splat(0);
        if (add) {
          s00 = v128.load(pc);
          s01 = v128.load(pc, 16);
          s10 = v128.load(pc + rb);
          s11 = v128.load(pc + rb, 16);
          s20 = v128.load(pc + 2 * rb);
          s21 = v128.load(pc + 2 * rb, 16);
          s30 = v128.load(pc + 3 * rb);
          s31 = v128.load(pc + 3 * rb, 16);
        }
        for (let q: i32 = 0; q < kn; q++) {
          const v0: v128 = v128.load(pb);
          const v1: v128 = v128.load(pb, 16);
          let x: v128 = v128.load32_splat(pa);
          s00 = f32x4.add(s00, f32x4.mul(x, v0));
          s01 = f32x4.add(s01, f32x4.mul(x, v1));
          x = v128.load32_splat(pa + ra);
          s10 = f32x4.add(s10, f32x4.mul(x, v0));
          s11 = f32x4.add(s11, f32x4.mul(x, v1));
          x = v128.load32_splat(pa + 2 * ra);
          s20 = f32x4.add(s20, f32x4.mul(x, v0));
          s21 = f32x4.add(s21, f32x4.mul(x, v1));
          x = v128.load32_splat(pa + 3 * ra);
          s30 = f32x4.add(s30, f32x4.mul(x, v0));
          s31 = f32x4.add(s31, f32x4.mul(x, v1));
          pa += ca;
          pb += rb;
        }
        v128.store(pc, s00);
        v128.store(pc, s01, 16);
        v128.store(pc + rb, s10);
        v128.store(pc + rb, s11, 16);
        v128.store(pc + 2 * rb, s20);
        v128.store(pc + 2 * rb, s21, 16);
        v128.store(pc + 3 * rb, s30);
        v128.store(pc + 3 * rb, s31, 16);
      }
      for (; i < m; i++) {
        let pa: usize = a + <usize>i * ra + <usize>k0 * ca;
        let pb: usize = b0;
        const pc: usize = c + <usize>i * rb + ((<usize>j) << 2);
        let s0: v128 = add ? v128.load(pc) : f32x4.splat(0);
        let s1: v128 = add ? v128.load(pc, 16) : f32x4.splat(0);
        for (let q: i32 = 0; q < kn; q++) {
          const x: v128 = v128.load32_splat(pa);
          s0 = f32x4.add(s0, f32x4.mul(x, v128.load(pb)));
          s1 = f32x4.add(s1, f32x4.mul(x, v128.load(pb, 16)));
          pa += ca;
          pb += rb;
        }
        v128.store(pc, s0);
        v128.store(pc, s1, 16);
      }
    }
  }
}
