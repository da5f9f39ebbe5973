// Tests load this into programs with --require: it refuses every connection that leaves the machine's own sockets in the file system,
// and writes each attempt to the file that EVOTRAINER_CONNECTIONS names. A program that is started inherits both.
const { appendFileSync } = require("node:fs");
const dgram = require("node:dgram");
const dns = require("node:dns");
const net = require("node:net");

/** @param {string} what the attempt, as the test shows it */
function refuse(what) {
  appendFileSync(process.env.EVOTRAINER_CONNECTIONS, `${process.argv.slice(1).join(" ")}: ${what}\n`);
  throw Object.assign(new Error(`${what} is refused by a test`), { code: "ECONNREFUSED" });
}

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...given) {
  const [first] = given;
  // net.connect hands on a list of its own; a path is a socket in the file system, or a named pipe.
  const options = Array.isArray(first) ? first[0] : first;
  const path = typeof options === "string" && !/^\d+$/.test(options) ? options : options?.path;
  if (typeof path !== "string") refuse(`connect ${JSON.stringify(options)}`);
  return connect.apply(this, given);
};
for (const name of ["lookup", "resolve", "resolve4", "resolve6"]) {
  dns[name] = (host) => refuse(`${name} ${host}`);
  dns.promises[name] = (host) => refuse(`${name} ${host}`);
}
dgram.Socket.prototype.send = () => refuse("send a datagram");
dgram.Socket.prototype.connect = () => refuse("connect a datagram socket");
