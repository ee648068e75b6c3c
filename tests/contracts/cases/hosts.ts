import { assert, assertEquals } from "@std/assert";
import { opened, untilClosed } from "../../support/raw_client.ts";
import { type Chapter, chapter } from "../case.ts";

/** Requests `/verbs`, which responds with "got", with the given header lines, and returns the status and the body. */
async function asked(origin: string, lines: readonly string[], version = "1.1"): Promise<[number, string]> {
  const text = [`GET /verbs HTTP/${version}`, ...lines, "Connection: close", "", ""].join("\r\n");
  const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
  const response = await untilClosed(await opened({ port: Number(new URL(origin).port) }, bytes));
  return [Number(response.split(" ")[1]), response];
}

/** With these, a URL built from header and target would have a path that begins in the header. */
const LEADING_ELSEWHERE = ["h/request", "h/request?x", "h/request#", "h/", "h?x/y", "h#x/y", "http://h/request"];

const IMPROPER = [
  "u@h",
  "u:p@h",
  "a b",
  "a\tb",
  "h\\x",
  "h:x",
  "h:-1",
  "h:99999",
  "[::1",
  "[zz]",
  "::1",
  "%zz",
  "<h>",
];

const PROPER = [
  "h",
  "h:8080",
  "h:",
  "EXAMPLE.com",
  "a_b.example",
  "xn--bcher-kva.example",
  "127.0.0.1:1",
  "[::1]",
  "[::1]:1",
];

export const hosts: Chapter = chapter("Hosts", (it) => {
  it("a Host header never becomes a part of the path", async ({ origin }) => {
    for (const host of LEADING_ELSEWHERE) {
      const [status, response] = await asked(origin, [`Host: ${host}`]);
      assert(status === 400 || (status === 200 && response.includes("got")), `${host}: ${response}`);
    }
  }, "connection");

  it(
    "an invalid Host header gets a 400",
    async ({ origin }) => {
      for (const host of [...LEADING_ELSEWHERE, ...IMPROPER]) {
        assertEquals([host, (await asked(origin, [`Host: ${host}`]))[0]], [host, 400]);
      }
    },
    "connection",
    "host",
  );

  it(
    "so is one with a byte outside of ASCII",
    async ({ origin }) => {
      assertEquals((await asked(origin, ["Host: \xe9"]))[0], 400);
    },
    "connection",
    "host",
    "octets",
  );

  it("a name, an address of either kind, and a port are a host", async ({ origin }) => {
    for (const host of PROPER) assertEquals([host, (await asked(origin, [`Host: ${host}`]))[0]], [host, 200]);
  }, "connection");
});
