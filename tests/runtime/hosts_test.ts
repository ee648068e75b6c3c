/** Requests that servers pass on to an application, on runtimes that leave validation to it. */
import { assertEquals } from "@std/assert";
import { SUBJECTS } from "../contracts/subjects.ts";
import { skipNode } from "../support/node_program.ts";
import { opened, untilClosed } from "../support/raw_client.ts";

const noRuntimes = Deno.env.get("SLUICE_RUNTIMES") === undefined;

/** Sends a request with the given request line and header lines; returns the status and what the handler saw. */
async function asked(origin: string, start: string, ...lines: string[]): Promise<unknown[]> {
  const text = [start, ...lines, "Connection: close", "", ""].join("\r\n");
  const response = await untilClosed(await opened({ port: Number(new URL(origin).port) }, text));
  const seen = response.match(/\{.*\}/s);
  const { protocol, originalUrl } = seen === null ? {} as Record<string, string> : JSON.parse(seen[0]);
  return [Number(response.split(" ")[1]), ...seen === null ? [] : [protocol, originalUrl]];
}

const WAYS = [
  // Deno does not distinguish HTTP/1.0 from 1.1: a request without Host may be HTTP/1.0
  { subject: "Deno listen", ignore: false, twoHosts: 400, noHost: 200, hiddenHost: 200, foreignScheme: 200 },
  // Bun joins two Hosts into "a, b", which becomes req.host, and uses the first Host for the URL
  { subject: "Bun listen", ignore: noRuntimes, twoHosts: 200, noHost: 400, hiddenHost: 400, foreignScheme: 400 },
  { subject: "Node serve", ignore: skipNode, twoHosts: 400, noHost: 400, hiddenHost: 400, foreignScheme: 400 },
];

for (const { subject, ignore, twoHosts, noHost, hiddenHost, foreignScheme } of WAYS) {
  Deno.test(`${subject}: improper requests are answered with 400, and the scheme is the connection's`, {
    ignore,
  }, async () => {
    await using serving = await start(subject);
    const { origin } = serving;
    const request = [200, "http", "/request"];
    assertEquals(await asked(origin, "GET https://h/request HTTP/1.1", "Host: h"), request);
    assertEquals(await asked(origin, "GET HTTPS://h/request HTTP/1.1", "Host: h"), request);
    assertEquals(await asked(origin, "GET http://other/request HTTP/1.1", "Host: h"), request);
    assertEquals(await asked(origin, "GET /request HTTP/1.0"), request);
    assertEquals(await asked(origin, "GET /request HTTP/1.0", "Host: h/x"), [400]);
    assertEquals(await asked(origin, "GET /./request HTTP/1.1", "Host: h:99999"), [400]);
    assertEquals(await asked(origin, "HEAD /./request HTTP/1.1", "Host: h:99999"), [400]);
    assertEquals(await asked(origin, "PUT * HTTP/1.1", "Host: h"), [400]);
    assertEquals(await asked(origin, "GET //evil/x HTTP/1.1", "Host: h"), [404]);
    assertEquals((await asked(origin, "GET ftp://h/request HTTP/1.1", "Host: h"))[0], foreignScheme);
    assertEquals(await asked(origin, "GET ftp://h/request HTTP/1.1", "Host: h?x"), [400]);
    assertEquals((await asked(origin, "GET /request HTTP/1.1", "Host: a", "Host: b"))[0], twoHosts);
    assertEquals((await asked(origin, "GET /request HTTP/1.1"))[0], noHost);
    assertEquals((await asked(origin, "GET http://other/request HTTP/1.1", "Host: h?x"))[0], hiddenHost);
  });
}

async function start(name: string) {
  const serving = await SUBJECTS.find((kind) => kind.name === name)!.start();
  return { origin: serving.origin, [Symbol.asyncDispose]: () => serving.stop() };
}
