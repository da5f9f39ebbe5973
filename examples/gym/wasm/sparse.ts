// Products with rows of zeros and ones, given as the columns that are 1: row r has columns[starts[r]] to
// columns[starts[r + 1] - 1], ascending and each once. Sums are taken in that order, so that every bit is that of the product
// with the rows written out. n must be a multiple of 8.

/** c[rows×n] += x · w[?×n] for the rows x. */
export function gather(c: usize, w: usize, starts: usize, columns: usize, rows: i32, n: i32): void {
  const width: usize = (<usize>n) << 2;
  for (let r: i32 = 0; r < rows; r++) {
    const from: usize = columns + ((<usize>load<i32>(starts + ((<usize>r) << 2))) << 2);
    const to: usize = columns + ((<usize>load<i32>(starts + ((<usize>r) << 2), 4)) << 2);
    let at: usize = c + <usize>r * width;
    let j: i32 = 0;
    for (; j + 32 <= n; j += 32) {
      const source: usize = w + ((<usize>j) << 2);
      let s0: v128 = v128.load(at),
        s1: v128 = v128.load(at, 16),
        s2: v128 = v128.load(at, 32),
        s3: v128 = v128.load(at, 48),
        s4: v128 = v128.load(at, 64),
        s5: v128 = v128.load(at, 80),
        s6: v128 = v128.load(at, 96),
        s7: v128 = v128.load(at, 112);
      for (let p: usize = from; p < to; p += 4) {
        const q: usize = source + <usize>load<i32>(p) * width;
        s0 = f32x4.add(s0, v128.load(q));
        s1 = f32x4.add(s1, v128.load(q, 16));
        s2 = f32x4.add(s2, v128.load(q, 32));
        s3 = f32x4.add(s3, v128.load(q, 48));
        s4 = f32x4.add(s4, v128.load(q, 64));
        s5 = f32x4.add(s5, v128.load(q, 80));
        s6 = f32x4.add(s6, v128.load(q, 96));
        s7 = f32x4.add(s7, v128.load(q, 112));
      }
      v128.store(at, s0);
      v128.store(at, s1, 16);
      v128.store(at, s2, 32);
      v128.store(at, s3, 48);
      v128.store(at, s4, 64);
      v128.store(at, s5, 80);
      v128.store(at, s6, 96);
      v128.store(at, s7, 112);
      at += 128;
    }
    for (; j < n; j += 8) {
      const source: usize = w + ((<usize>j) << 2);
      let s0: v128 = v128.load(at),
        s1: v128 = v128.load(at, 16);
      for (let p: usize = from; p < to; p += 4) {
        const q: usize = source + <usize>load<i32>(p) * width;
        s0 = f32x4.add(s0, v128.load(q));
        s1 = f32x4.add(s1, v128.load(q, 16));
      }
      v128.store(at, s0);
      v128.store(at, s1, 16);
      at += 32;
    }
  }
}

/** w[?×n] += xᵀ · d[rows×n] for the rows x: the gradient of `gather` by its weights. */
export function scatter(w: usize, d: usize, starts: usize, columns: usize, rows: i32, n: i32): void {
  const width: usize = (<usize>n) << 2;
  for (let r: i32 = 0; r < rows; r++) {
    const from: usize = columns + ((<usize>load<i32>(starts + ((<usize>r) << 2))) << 2);
    const to: usize = columns + ((<usize>load<i32>(starts + ((<usize>r) << 2), 4)) << 2);
    const row: usize = d + <usize>r * width;
    for (let j: usize = 0; j < width; j += 32) {
      const v0: v128 = v128.load(row + j);
      const v1: v128 = v128.load(row + j, 16);
      for (let p: usize = from; p < to; p += 4) {
        const q: usize = w + <usize>load<i32>(p) * width + j;
        v128.store(q, f32x4.add(v128.load(q), v0));
        v128.store(q, f32x4.add(v128.load(q, 16), v1), 16);
      }
    }
  }
}
