// What ssh runs as SSH_ASKPASS: passes the question to the engine over its socket and prints the answer. Plain Node, no build.
"use strict";
const { readFileSync } = require("node:fs");
const { connect } = require("node:net");

const [ticket = "", text = ""] = process.argv.slice(2);
const fail = () => process.exit(1);
try {
  const { address, token } = JSON.parse(readFileSync(ticket, "utf8"));
  const hint = process.env.SSH_ASKPASS_PROMPT ?? "";
  let reply = "";
  const socket = connect(address, () => socket.write(`${JSON.stringify({ token, text, hint })}\n`));
  socket.setEncoding("utf8");
  socket.on("data", (part) => (reply += String(part)));
  socket.on("error", fail);
  socket.on("close", () => {
    try {
      const { answer } = JSON.parse(reply);
      if (typeof answer !== "string") fail();
      process.stdout.write(`${answer}\n`, () => process.exit(0));
    } catch {
      fail();
    }
  });
} catch {
  fail();
}
