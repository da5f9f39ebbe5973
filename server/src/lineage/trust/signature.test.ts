import assert from "node:assert/strict";
import { generateKeyPairSync, verify } from "node:crypto";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { isSound, signed } from "./signature.ts";

describe("what is signed of an entry", () => {
  it("is the same text in every release, whatever the order of its fields and their names", () => {
    const pair = generateKeyPairSync("ed25519");
    const key = {
      private: pair.privateKey,
      public: pair.publicKey.export({ format: "jwk" }).x ?? assert.fail(),
    };
    const names: unknown = JSON.parse(
      '{ "b": 1, "a": [{ "z": 0, "y": null }], "10": 1, "9": 2, "__proto__": { "c": 1, "b": 2 } }',
    );
    const entry = {
      version: "v1",
      type: "note",
      gone: undefined,
      id: "note:1",
      names,
    } as unknown as LedgerEntry;
    const text =
      'evotrainer ledger entry 1\nabc\n{"id":"note:1","names":{"9":2,"10":1,"__proto__":{"b":2,"c":1},"a":[{"y":null,"z":0}],"b":1},"type":"note","version":"v1"}';
    const { signature } = signed(entry, key, "abc");
    const value = Buffer.from(signature?.value ?? "", "base64url");
    assert.ok(verify(null, Buffer.from(text), pair.publicKey, value));
    assert.ok(isSound({ ...entry, signature }));
    assert.ok(!isSound({ ...entry, signature, version: "v2" }));
  });
});
