import assert from "node:assert/strict";
import { HostSpec } from "../../../../shared/spec/host.ts";
import { python } from "./findings.ts";
import { pythonOf } from "./trainerPython.ts";

describe("the Python that the doctor asks for torch", () => {
  const asks = (command: readonly string[], host: object = {}): string =>
    pythonOf(command, HostSpec.parse(host)).program;

  it("is the one that the trainer's command starts", () => {
    assert.equal(asks(["/opt/torch/bin/python3.11", "train.py"]), "/opt/torch/bin/python3.11");
    assert.equal(asks(["bash", "trainer/ray_nodes.sh", "python", "trainer/run.py"]), "python");
  });

  it("is that of the host where the command names none of the host, or where the host's is set", () => {
    assert.equal(asks(["bash", "run.sh"]), "python3");
    assert.equal(asks([".venv/bin/python", "train.py"]), "python3");
    assert.equal(asks(["python", "train.py"], { python: "/opt/conda/bin/python" }), "/opt/conda/bin/python");
  });

  it("is named in what is wrong with it, and so is the key to change", () => {
    const route = { name: "gpu1", spec: HostSpec.parse({}) };
    const facts = new Map([
      ["python", "3.11.4"],
      ["torch", "ModuleNotFoundError: No module named 'torch'"],
    ]);
    const mends = (command: readonly string[]) =>
      python(facts, route, pythonOf(command, route.spec)).map(({ mend }) => mend);
    assert.match(
      mends(["/opt/a/bin/python3"])[1] ?? "",
      /for \/opt\/a\/bin\/python3 there, .*\(trainer\.command\)/,
    );
    assert.match(mends(["sh", "run.sh"])[1] ?? "", /for python3 there, .*\(hosts\.gpu1\.python\)/);
  });
});
