/** A short run of the schema fuzzer, and faults it must find. */
import { assertEquals } from "@std/assert";
import type { Handler } from "@sluice/sluice";
import { fuzz } from "../../reliability/fuzz/fuzzer.ts";
import { reported } from "../../reliability/fuzz/reported.ts";
import { SchemaFuzzer } from "../../reliability/fuzz/schemas/schema_fuzzer.ts";
import { LIBRARIES } from "../../reliability/fuzz/schemas/shape.ts";

const SEED = 63;

for (const library of LIBRARIES) {
  Deno.test(`responses and requests are as the document of random schemas of ${library} says`, async () => {
    const report = await fuzz(new SchemaFuzzer(library), { seed: SEED, rounds: 2 });
    assertEquals(report.findings, [], reported(report, "schemas"));
    assertEquals(report.steps, 46);
  });
}

const FAULTS: Readonly<Record<string, Handler>> = {
  "an undocumented field is sent": (_req, res, next) => {
    res.json = (value) => res.type("json").send(JSON.stringify(value));
    next();
  },
  "a field is lost": (_req, res, next) => {
    const { send } = res;
    res.send = (body) => send.call(res, String(body).replaceAll('"alpha":', '"beta":'));
    next();
  },
  "an allowed request is refused (query)": ({ query }, res, next) => {
    if ("alpha" in query) res.sendStatus(400);
    else next();
  },
  "a forbidden request is accepted (body)": ({ body }, res, next) => {
    if (Array.isArray(body)) res.sendStatus(204);
    else next();
  },
  "a request is a failure of the server (query)": ({ query }, res, next) => {
    if (String(query["alpha"]).length > 200) res.sendStatus(500);
    else next();
  },
};

for (const [kind, fault] of Object.entries(FAULTS)) {
  Deno.test(`the fuzzer of schemas finds that ${kind}, with one route`, async () => {
    const report = await fuzz(new SchemaFuzzer("zod", fault), { seed: SEED, rounds: 30, most: 1 });
    assertEquals(report.findings.map((finding) => finding.kind), [kind]);
    assertEquals(report.findings[0]!.reproduction.match(/validate\(/g)?.length, 1);
  });
}
