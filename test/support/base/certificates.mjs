// Mocha and the processes of `npm test` load this first. Every Node that starts reads the certificates that it is told to trust
// besides its own, and with a whole bundle of them it takes three times as long to start. What tests start connects to no other
// machine; the one test that has npm ask its registry takes them from here.
const { NODE_EXTRA_CA_CERTS: certificates } = process.env;
if (certificates !== undefined) {
  process.env.EVOTRAINER_TEST_CERTIFICATES = certificates;
  delete process.env.NODE_EXTRA_CA_CERTS;
}
