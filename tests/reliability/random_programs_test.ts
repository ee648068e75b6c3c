/** A short run of the application fuzzer, and a fault it must find. */
import { assertEquals, assertMatch } from "@std/assert";
import { AppFuzzer } from "../../reliability/fuzz/apps/app_fuzzer.ts";
import { fuzz } from "../../reliability/fuzz/fuzzer.ts";
import { reported } from "../../reliability/fuzz/reported.ts";

const SEED = 25;

for (const framework of ["Sluice", "Express 5", "Express 4"] as const) {
  Deno.test(`random applications of ${framework} on Deno, Node and Bun do what they do on Express`, async () => {
    await using fuzzer = await AppFuzzer.start({ framework });
    const report = await fuzz(fuzzer, { seed: SEED, rounds: 15 });
    assertEquals(report.findings, [], reported(report, "apps"));
  });
}

for (const runtime of ["Deno", "Node", "Bun"] as const) {
  Deno.test(`the fuzzer of applications finds an application on ${runtime} that forgets a prefix`, async () => {
    await using fuzzer = await AppFuzzer.start({ runtimes: [runtime], fault: "prefix" });
    const report = await fuzz(fuzzer, { seed: SEED, rounds: 60, most: 1, smallerMs: 2000 });
    assertEquals(report.findings.length, 1, reported(report, "apps"));
    const { kind, reproduction } = report.findings[0]!;
    assertMatch(kind, new RegExp(`^${runtime}, app.listen: `));
    assertMatch(reproduction, /as: "(?:use|mount|mount twice|catch|parse)",\s+path: "\/[^"]/);
  });
}
