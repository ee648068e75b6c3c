/**
 * Random applications, on Sluice and on Express, over sockets. On both frameworks, the same handlers must run and see
 * the same request, and the client must get the same response.
 */
import { assert, assertEquals } from "@std/assert";
import express from "express";
import { build, withExpressTags } from "../../reliability/fuzz/apps/build_program.ts";
import { randomAsks, randomProgram } from "../../reliability/fuzz/apps/random_program.ts";
import { seenBy } from "../../reliability/fuzz/apps/see_response.ts";
import { type Any, serveBoth } from "../support/sluice_and_express.ts";
import { random } from "../support/random.ts";

const ROUNDS = Number(Deno.env.get("SLUICE_APPLICATION_ROUNDS") ?? 200);

Deno.test("random applications run the same handlers, with the same view of the request, and answer as on Express", async () => {
  const pick = random(3);
  const programs = Array.from({ length: ROUNDS }, () => randomProgram(pick, 3, true));
  const asks = programs.flatMap((program, index) => randomAsks(pick, program, 8).map((ask) => ({ index, ask })));
  const logs: Any[][] = [];
  const [ours, theirs] = await serveBoth((app, lib) => {
    const log: Any[] = [];
    logs.push(log);
    const apps = programs.map((program) => build(program, lib === express ? lib : withExpressTags(lib), log));
    app.disable("x-powered-by");
    app.use((req: Any, res: Any, next: Any) => {
      log.push(req.headers["x-index"]);
      apps[req.headers["x-index"]](req, res, next);
    });
  }, async (origin) => {
    const seen: unknown[] = [];
    for (const { index, ask } of asks) seen.push(await seenBy(origin, { "x-index": String(index) }, ask));
    return seen;
  });
  const [ourLog, theirLog] = logs.map((log) => byRequest(log));
  for (const [i, { index, ask }] of asks.entries()) {
    const about = `${Deno.inspect(ask)} of ${Deno.inspect(programs[index], { depth: 12 })}`;
    assertEquals([ourLog![i], ours[i]], [theirLog![i], theirs[i]], about);
  }
  assert(logs[1]!.length > 2 * asks.length, `${logs[1]!.length - asks.length} handlers ran`);
});

function byRequest(log: readonly unknown[]): unknown[][] {
  const lists: unknown[][] = [];
  for (const one of log) typeof one === "string" ? lists.push([]) : lists.at(-1)!.push(one);
  return lists;
}
