// What a network does beside its products, on float32. Lengths and n are multiples of 4.

/** Negative elements become 0. */
export function rectify(x: usize, length: i32): void {
  const zero: v128 = f32x4.splat(0);
  const end: usize = x + ((<usize>length) << 2);
  for (let p: usize = x; p < end; p += 16) {
    const v: v128 = v128.load(p);
    v128.store(p, v128.andnot(v, f32x4.lt(v, zero)));
  }
}

/** Elements of d become 0 where those of x are 0 or less: the gradient of `rectify`. */
export function gate(d: usize, x: usize, length: i32): void {
  const zero: v128 = f32x4.splat(0);
  const width: usize = (<usize>length) << 2;
  for (let p: usize = 0; p < width; p += 16)
    v128.store(d + p, v128.andnot(v128.load(d + p), f32x4.le(v128.load(x + p), zero)));
}

/** into[n] += the sum over the rows of d[rows×n], row by row. */
export function addRows(into: usize, d: usize, rows: i32, n: i32): void {
  const width: usize = (<usize>n) << 2;
  for (let j: usize = 0; j < width; j += 16) {
    let sum: v128 = v128.load(into + j);
    let p: usize = d + j;
    for (let r: i32 = 0; r < rows; r++, p += width) sum = f32x4.add(sum, v128.load(p));
    v128.store(into + j, sum);
  }
}
