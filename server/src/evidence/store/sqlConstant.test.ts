import assert from "node:assert/strict";
import { sqlConstant } from "./sqlConstant.ts";

describe("a text in SQL", () => {
  for (const text of ["v1", "v1.train.s1", "a_b-c"])
    it(`is written out where it is a plain name: ${text}`, () =>
      assert.deepEqual(sqlConstant(text), { sql: `'${text}'`, params: [] }));
  for (const text of ["", "it's", "'; DROP TABLE rollouts; --", "a b", "a\nb", "v1\n", "é", "a\0"])
    it(`is a parameter otherwise: ${JSON.stringify(text)}`, () =>
      assert.deepEqual(sqlConstant(text), { sql: "?", params: [text] }));
});
