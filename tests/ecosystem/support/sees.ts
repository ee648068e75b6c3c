import { assert, assertEquals } from "@std/assert";
import type { Exchanged } from "./ask_all.ts";

/**
 * Asserts that a response matches the program's declaration.
 *
 * @param exchanged The request and its response
 * @throws {Error} If it does not match
 */
export function assertSeen({ ask, answer }: Exchanged): void {
  const { sees } = ask;
  if (sees === undefined) return;
  const where = `${ask.method ?? "GET"} ${ask.path}`;
  assertEquals(answer.status, sees.status ?? 200, `${where}: status`);
  for (const [name, wanted] of Object.entries(sees.headers ?? {})) {
    const values = [answer.headers[name] ?? []].flat();
    if (wanted === null) assertEquals(values, [], `${where}: ${name}`);
    else assert(values.some((value) => matches(value, wanted)), `${where}: ${name} is ${values}, not ${wanted}`);
  }
  const { body } = sees;
  if (body === undefined) return;
  if (typeof body === "string") assertEquals(answer.body, body, `${where}: body`);
  else if (body instanceof RegExp) assert(body.test(answer.body), `${where}: body is ${answer.body}, not ${body}`);
  else assertEquals(JSON.parse(answer.body), body, `${where}: body`);
}

function matches(value: string, wanted: string | RegExp): boolean {
  return typeof wanted === "string" ? value === wanted : wanted.test(value);
}
