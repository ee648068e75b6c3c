/** A short run of the spelling fuzzer, and faults it must find. */
import { assertEquals } from "@std/assert";
import type { Handler } from "@sluice/sluice";
import { fuzz } from "../../reliability/fuzz/fuzzer.ts";
import { reported } from "../../reliability/fuzz/reported.ts";
import { SpellingFuzzer } from "../../reliability/fuzz/spellings/spelling_fuzzer.ts";

const SEED = 62;

// in this order: once one router is case-sensitive, the whole process is
for (const routing of ["insensitive", "sensitive"] as const) {
  Deno.test(`no spelling of a path leads past a guard to its files, with case-${routing} routing`, async () => {
    const report = await fuzz(new SpellingFuzzer(routing), { seed: SEED, rounds: 100 });
    assertEquals(report.findings, [], reported(report, "spellings"));
    assertEquals(report.steps, 10_000);
  });
}

const FAULTS: Readonly<Record<string, Handler>> = {
  "a guard does not cover a file": (req, _res, next) => {
    req.url = req.url.replaceAll("%61", "a");
    next();
  },
  "a client does not get a file that nothing guards": (req, res, next) => {
    if (req.url.includes("%")) res.sendStatus(400);
    else next();
  },
};

for (const [kind, fault] of Object.entries(FAULTS)) {
  Deno.test(`the fuzzer of spellings finds that ${kind}, with one request`, async () => {
    const report = await fuzz(new SpellingFuzzer("sensitive", fault), { seed: SEED, rounds: 60, most: 1 });
    assertEquals(report.findings.map((finding) => finding.kind), [kind]);
    assertEquals(report.findings[0]!.reproduction.match(/app\.fetch/g)?.length, 1);
  });
}
