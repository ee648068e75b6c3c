import { clientKey, rateLimit, type Request } from "@sluice/sluice";
import { assert, assertEquals } from "@std/assert";
import { ask, quietApp } from "../../support/app.ts";
import type { Theme } from "./flaw.ts";
import { quickly } from "./quickly.ts";

const SPACES = " ".repeat(100_000);

interface Forwarded {
  readonly trust: unknown;
  readonly from?: string;
  readonly headers: Record<string, string>;
}

/** The value `read` returns for a request through a proxy. */
async function readFrom<T>({ trust, from = "127.0.0.1", headers }: Forwarded, read: (req: Request) => T): Promise<T> {
  const app = quietApp().set("trust proxy", trust as boolean);
  const results: T[] = [];
  app.get("/", (req, res) => {
    results.push(read(req as Request));
    res.end();
  });
  const { status } = await ask(app, "/", { headers }, { remoteAddr: { hostname: from, port: 1 } });
  assertEquals(status, 200);
  return results[0]!;
}

/** Headers set by proxies, and headers that select a representation. */
export const forwarding: Theme = {
  title: "Proxies, addresses and negotiation",
  file: "forwarding.ts",
  flaws: [
    {
      identifiers: ["CVE-2017-16118", "GHSA-mpcf-4gmh-23w8"],
      package: "forwarded",
      flaw: "A long X-Forwarded-For was split with a slow regular expression.",
      here: "an X-Forwarded-For of 100 000 spaces is read in linear time",
      async attack() {
        const headers = { "x-forwarded-for": `1${SPACES}2, 203.0.113.7` };
        const ips = await quickly(() => readFrom({ trust: true, headers }, (req) => req.ips));
        assertEquals(ips.at(-1), "203.0.113.7");
      },
    },
    {
      identifiers: ["CVE-2025-25200", "GHSA-593f-38f6-jp5m"],
      package: "koa",
      flaw: "X-Forwarded-Proto and X-Forwarded-Host were split with a slow regular expression.",
      here: "forwarding headers of 100 000 spaces are read in linear time",
      async attack() {
        const value = `a${SPACES}b,c`;
        const headers = { "x-forwarded-proto": value, "x-forwarded-host": value, forwarded: `host=${value}` };
        await quickly(() =>
          readFrom({ trust: true, headers }, (req) => [req.protocol, req.host, req.hostname, req.secure])
        );
      },
    },
    {
      identifiers: ["CVE-2026-3635", "GHSA-444r-cwp2-x5xf"],
      package: "fastify",
      flaw: "X-Forwarded-Proto and X-Forwarded-Host of an untrusted sender were used.",
      here: "a sender that `trust proxy` does not name cannot set the protocol, host or address",
      async attack() {
        const headers = {
          host: "mine.example",
          "x-forwarded-proto": "https",
          "x-forwarded-host": "evil.example",
          "x-forwarded-for": "203.0.113.7",
        };
        const read = ({ protocol, hostname, secure, ip }: Request) => [protocol, hostname, secure, ip];
        for (const trust of ["10.0.0.1", ["10.0.0.0/8"], false, (ip: string) => ip === "10.0.0.1"]) {
          const seen = await readFrom({ trust, from: "192.0.2.1", headers }, read);
          assertEquals(seen, ["http", "mine.example", false, "192.0.2.1"]);
        }
        const trusted = await readFrom({ trust: "10.0.0.1", from: "10.0.0.1", headers }, read);
        assertEquals(trusted, ["https", "evil.example", true, "203.0.113.7"]);
      },
    },
    {
      identifiers: ["CVE-2026-24398", "GHSA-r354-f388-2fhh"],
      package: "hono",
      flaw: "`1.2.2.355` was accepted as an IPv4 address, and matched a network that did not contain its bits.",
      here: "a value with an octet above 255 is not an address, and no list trusts such a proxy",
      async attack() {
        for (
          const ip of ["1.2.2.355", "256.0.0.1", "1.2.3", "1.2.3.4.5", "0x7f.1", "127.1", "2130706433", "010.0.0.1"]
        ) {
          const headers = { "x-forwarded-for": `203.0.113.7, ${ip}` };
          const seen = await readFrom({ trust: ["loopback", "1.2.3.0/24", "10.0.0.0/8"], headers }, (req) => req.ip);
          assert(seen !== "203.0.113.7", `${ip} was trusted`);
        }
      },
    },
    {
      identifiers: ["CVE-2026-47674"],
      package: "hono",
      flaw: "Another spelling of an IPv6 address did not match a rule for it.",
      here: "all spellings of an address have one key and match the same entry of `trust proxy`",
      async attack() {
        const spellings = ["2001:db8::1", "2001:DB8:0:0:0:0:0:1", "2001:0db8:0000:0000:0000:0000:0000:0001"];
        assertEquals(new Set(spellings.map((ip) => clientKey({ ip }))).size, 1);
        const mapped = ["127.0.0.1", "::ffff:127.0.0.1", "::ffff:7f00:1", "0:0:0:0:0:ffff:7f00:1"];
        assertEquals(new Set(mapped.map((ip) => clientKey({ ip }))).size, 1);
        for (const from of spellings) {
          const headers = { "x-forwarded-for": "203.0.113.7" };
          assertEquals(await readFrom({ trust: "2001:db8::1", from, headers }, (req) => req.ip), "203.0.113.7");
        }
        const app = quietApp();
        app.use(rateLimit({ limit: 1 }));
        app.get("/", (_req, res) => res.send("done"));
        const statuses = [];
        for (const hostname of spellings) {
          statuses.push((await ask(app, "/", {}, { remoteAddr: { hostname, port: 1 } })).status);
        }
        assertEquals(statuses, [200, 429, 429]);
      },
    },
    {
      identifiers: ["CVE-2016-10539"],
      package: "negotiator",
      flaw: "A crafted Accept-Language took exponential time.",
      here: "Accept headers of 100 kB are read in linear time",
      async attack() {
        const values = [`en${SPACES}x`, `${"a-".repeat(50_000)};`, ";q=".repeat(30_000), `"${"\\".repeat(50_000)}`];
        for (const value of values) {
          const headers = {
            accept: value,
            "accept-language": value,
            "accept-encoding": value,
            "accept-charset": value,
          };
          await quickly(() =>
            readFrom({ trust: false, headers }, (req) => [
              ...[req.accepts("html", "json"), req.acceptsLanguages("en", "de")],
              ...[req.acceptsEncodings("gzip", "br"), req.acceptsCharsets("utf-8")],
            ])
          );
        }
      },
    },
    {
      identifiers: ["CVE-2017-16119", "GHSA-9qj9-36jm-prpv"],
      package: "fresh",
      flaw: "A crafted If-None-Match or Cache-Control took quadratic time.",
      here: "conditional headers of 100 kB are read in linear time",
      async attack() {
        const app = quietApp();
        app.get("/", (_req, res) => res.set("ETag", '"tag"').send("body"));
        for (const value of [`"a"${SPACES}x`, `${" ,".repeat(50_000)}x`, `no-cache${SPACES}x`, "W/".repeat(50_000)]) {
          const headers = { "if-none-match": value, "cache-control": value, "if-modified-since": value, range: value };
          const response = await quickly(() => ask(app, "/", { headers }));
          await response.body?.cancel();
          assertEquals(response.status, 200);
        }
      },
    },
  ],
};
