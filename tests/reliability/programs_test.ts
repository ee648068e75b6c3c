/** Random applications behind middleware at every level: a short run, and faults that the fuzzer must find. */
import { assert, assertEquals } from "@std/assert";
import { fuzz } from "../../reliability/fuzz/fuzzer.ts";
import { ProgramFuzzer } from "../../reliability/fuzz/programs/program_fuzzer.ts";
import { reported } from "../../reliability/fuzz/reported.ts";
import type { Any } from "../support/sluice_and_express.ts";

const SEED = 40;

Deno.test("whatever ends a request, each middleware in front of it does its work once", async () => {
  using fuzzer = new ProgramFuzzer();
  const report = await fuzz(fuzzer, { seed: SEED, rounds: 4 });
  assertEquals(report.findings, [], reported(report, "programs"));
});

const FAULTS: Readonly<Record<string, (res: Any) => void>> = {
  "a session has not one cookie": (res) => {
    const { setHeader } = res;
    res.setHeader = (name: string, value: unknown) =>
      /^set-cookie$/i.test(name) ? res : setHeader.call(res, name, value);
    res.appendHeader = () => res;
  },
  "wrong events": (res) => void res.once("finish", () => res.emit("close")),
};

for (const [kind, fault] of Object.entries(FAULTS)) {
  Deno.test(`the fuzzer of programs finds: ${kind}`, async () => {
    using fuzzer = new ProgramFuzzer((_req: Any, res: Any, next: Any) => {
      fault(res);
      next();
    });
    const report = await fuzz(fuzzer, { seed: SEED, rounds: 2, smallerMs: 500 });
    assert(report.findings.some((finding) => finding.kind === kind), reported(report, "programs"));
  });
}
