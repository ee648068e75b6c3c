/**
 * Whatever a program asks a response that a session holds back, however it was sent, it shows what Express shows without
 * one, unless a list says why not. And whatever becomes of the session, the client gets one response, whole.
 */
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { bundleForNode, skipNode } from "../../tests/support/node_program.ts";
import type { Any } from "../../tests/support/sluice_and_express.ts";
import type { End, Seen } from "./held_program.ts";
import { QUESTIONS } from "./held_questions.ts";
import { type Way, WAYS } from "./held_ways.ts";

type Results = Record<string, Record<string, Seen>>;

/** The part of what a case shows that a difference is about. */
type Part = "shown" | "calledBack" | "events" | "client";

/** Why a held response shows something else than one without a session; by question and part. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  "flushHeaders, shown": "it returns the response, which nobody uses",
  "statusCode = 500, events": "afterwards, the status is the one that was sent",
  "status, events": "afterwards, the status is the one that was sent",
  "sendStatus, events": "afterwards, the status is the one that was sent",
};

/** Why express-session shows something else: while it saves, the response has not ended. */
const THEIR_DIFFERENCES: Readonly<Record<string, string>> = {
  "what it shows, shown": "it has not ended",
  "writeHead, events": "a refused status is shown afterwards",
  "writeHead with a wrong status, events": "a refused status is shown afterwards",
  "write, shown": "more can be written",
  "write, client": "what is written corrupts the response",
  "write with a callback, calledBack": "more can be written",
  "write with a callback, client": "what is written corrupts the response",
  "end, shown": "it returns false",
  "end with a callback, calledBack": "callbacks are never called",
  "end with a chunk, shown": "it returns false",
  "next(error), events": "an error cuts the response",
  "next(error), client": "an error cuts the response",
};

/** Error handlers that have set a status when a program ends the failed response: the client gets only the status. */
const STATUS_ALONE = ["slow writes", "a slow end"];

/** No error handler is left when these fail. */
const PAGES = ["an error page", "a page for 404"];

async function observe(command: string, args: readonly string[]): Promise<Results> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args: [...args] }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

// one part, without what depends on the runtime or the tag's algorithm
function partOf(seen: Seen, part: Part): unknown {
  const { calledBack, client, events, shown } = structuredClone(seen) as Any;
  for (const state of [shown, shown?.[1], ...events.map(([, state]: Any) => state)]) {
    // Node's socket has accepted the response at once
    if (state?.headersSent !== undefined) delete state.writableFinished;
  }
  if (client?.etag) client.etag = "a tag";
  if (client?.cookies) delete client.cookies;
  // Sluice's page differs
  if (client?.body?.startsWith("<!DOCTYPE html>")) client.body = "a page";
  return { calledBack, client, events, shown }[part];
}

// ways that Express lacks are compared with one that it has
function likeOf(way: string): string {
  return WAYS[way]!.isOurs ? "end" : way;
}

function isAsked({ hasRest }: Way): boolean {
  return !hasRest;
}

function assertShown(results: Results, express: Results, subject: string, listed: Readonly<Record<string, string>>) {
  const found = new Map<string, unknown[]>();
  for (const question of Object.keys(QUESTIONS)) {
    for (const way of Object.keys(WAYS).filter((way) => isAsked(WAYS[way]!))) {
      const seen = results[`${way}: ${question}`]?.[subject];
      const alone = express[`${likeOf(way)}: ${question}`]!["express alone"]!;
      if (seen === undefined) continue;
      const parts: Part[] = WAYS[way]!.isOurs ? ["calledBack"] : ["shown", "calledBack", "events", "client"];
      for (const part of parts) {
        const [ours, theirs] = [partOf(seen, part), partOf(alone, part)];
        if (JSON.stringify(ours) !== JSON.stringify(theirs)) found.set(`${question}, ${part}`, [way, ours, theirs]);
      }
    }
  }
  assertEquals([...found].filter(([name]) => listed[name] === undefined), [], subject);
  // a listed difference that has gone should not be listed
  assertEquals(Object.keys(listed).filter((name) => !found.has(name)), [], subject);
}

function assertEnds(results: Results, subject: string) {
  for (const way of Object.keys(WAYS)) {
    const seen = (end: End): Seen | undefined => results[`${way}: ${end}`]?.[subject];
    const saved = seen("saved");
    if (saved === undefined) continue;
    const name = `${subject}, ${way}`;
    const client = saved.client as Any;
    assertEquals([client.cookies, saved.events.map(([event]) => event)], [["session"], ["finish", "close"]], name);
    if (WAYS[way]!.hasRest) assertEquals(client.body.length, way === "a slow end" ? 2000 : 4000, name);
    for (const end of ["failed", "failed, and handled later"] as const) assertFailed(way, end, seen(end)!, name);
    const { events } = seen("disconnected")!;
    assertEquals(events.map(([event, state]) => [event, state["headersSent"]]), [["close", false]], name);
  }
}

function assertFailed(way: string, end: End, { client, events, reported }: Seen, name: string): void {
  const { status, body, cookies, etag, ...headers } = client as Any;
  const isPage = PAGES.includes(way);
  const isAlone = end !== "failed" && STATUS_ALONE.includes(way);
  const text = isAlone || WAYS[way]!.method === "HEAD" ? "" : "sorry";
  assertEquals([status, isPage || body, cookies], [isPage ? 500 : 503, isPage || text, []], `${name}: ${end}`);
  const type = isAlone ? null : "text/html; charset=utf-8";
  assertEquals(
    [headers["content-type"], headers["cache-control"], headers["content-disposition"], headers["last-modified"]],
    [type, null, null, null],
    `${name}: ${end}`,
  );
  // the tag of the response that was sent
  assert(etag === null || etag.startsWith('W/"5-'), `${name}: ${end}: ${etag}`);
  assertEquals(events.map(([event]) => event), ["finish", "close"], `${name}: ${end}`);
  assertEquals(reported.filter((message) => !message.startsWith("planted")), [], `${name}: ${end}`);
}

Deno.test("on Node, a held response is to programs what it is on Express without a session", {
  ignore: skipNode,
}, async (t) => {
  const bundle = await bundleForNode("node.ts", "middleware/tests/held_program.ts");
  const results = await observe("node", [bundle, "express"]);
  for (const subject of ["fetch", "listen", "express"]) {
    await t.step(subject, () => assertShown(results, results, subject, DIFFERENCES));
  }
  await t.step("express-session, which shows less", () => {
    assertShown(results, results, "express-session", THEIR_DIFFERENCES);
  });
  const subjects = Object.keys(results["send: saved"]!).filter((name) => name !== "express-session");
  assertEquals(subjects.length, 11);
  for (const subject of subjects) await t.step(`how it ends: ${subject}`, () => assertEnds(results, subject));
  await t.step("with express-session, a response does not depend on the store", () => {
    const { client } = results["json: failed"]!["express-session"]!;
    assertNotEquals((client as Any).status, 503);
  });
  const onDeno = await observe(Deno.execPath(), [
    ...["run", "--allow-all", "--quiet"],
    await bundleForNode("middleware/tests/held_program.ts"),
  ]);
  for (const subject of ["fetch", "listen"]) {
    await t.step(`${subject} on Deno`, () => assertShown(onDeno, results, subject, DIFFERENCES));
  }
  for (const subject of Object.keys(onDeno["send: saved"]!)) {
    await t.step(`how it ends on Deno: ${subject}`, () => assertEnds(onDeno, subject));
  }
});
