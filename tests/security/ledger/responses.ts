import { compress } from "@sluice/middleware/compress";
import { log } from "@sluice/middleware/log";
import { sse } from "@sluice/middleware/sse";
import sluice, { type FrameworkResponse } from "@sluice/sluice";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { ask, quietApp } from "../../support/app.ts";
import type { Theme } from "./flaw.ts";

/** The redirect response a client gets. */
async function redirected(url: string, accept: string): Promise<{ location: string; body: string; type: string }> {
  const app = quietApp();
  app.get("/", (_req, res) => res.redirect(url));
  const response = await ask(app, "/", { headers: { accept } });
  const { headers } = response;
  return { location: headers.get("location")!, type: headers.get("content-type")!, body: await response.text() };
}

/** Asserts that a page shows its input as text and runs none of it. */
function isHarmless(body: string): void {
  assert(!/<script|<img|javascript:[^<]*">|href=/i.test(body), body);
}

/** Events as a browser reads them (HTML standard, section 9.2.6). */
function eventsIn(stream: string): { event: string; data: string; id: string }[] {
  const events: { event: string; data: string; id: string }[] = [];
  for (const block of stream.split(/(?:\r\n|\r|\n){2}/)) {
    const one = { event: "message", data: "", id: "" };
    let hasData = false;
    for (const line of block.split(/\r\n|\r|\n/)) {
      const [, field, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
      if (field === "data") one.data += (hasData ? "\n" : "") + value;
      else if (field === "event" || field === "id") one[field] = value!;
      hasData ||= field === "data";
    }
    if (hasData) events.push(one);
  }
  return events;
}

/** Redirects, headers, event streams and logs that contain client input. */
export const responses: Theme = {
  title: "Responses and logs",
  file: "responses.ts",
  flaws: [
    {
      identifiers: ["CVE-2024-29041", "GHSA-rv95-896h-c2vc"],
      package: "express",
      flaw: "Encoding a malformed URL for the Location header changed its host after the allow list was checked.",
      here: "the Location header leads to the host that `new URL` finds in the checked URL",
      async attack() {
        const urls = [
          "https://google.com\\@apple.com",
          "https://google.com\\\\@apple.com/x",
          "https://google.com%5c@apple.com".replace("%5c", "\\"),
          "https://google.com/\\@apple.com",
          "http:\\\\google.com\\@apple.com",
          "https://user\\name@google.com",
          "https://google.com#@apple.com",
          "https://google.com?@apple.com",
          "https://google.com:80\\@apple.com",
          "https://apple.com\t@google.com",
        ];
        for (const url of urls) {
          const { location } = await redirected(url, "text/plain");
          assertEquals([url, new URL(location).host], [url, new URL(url).host]);
        }
      },
    },
    {
      identifiers: ["CVE-2024-43796", "GHSA-qw6h-vgh9-j6wx"],
      package: "express",
      flaw: "The redirect page had a link to client input, which could be a script.",
      here: "the redirect page has no link, and its text is escaped",
      async attack() {
        for (
          const url of [
            'javascript:alert(1)//"><script>alert(1)</script>',
            "'><img src=x onerror=alert(1)>",
            "/?<script>",
          ]
        ) {
          const html = await redirected(url, "text/html");
          isHarmless(html.body);
          assertMatch(html.type, /^text\/html/);
          assertMatch((await redirected(url, "text/plain")).type, /^text\/plain/);
        }
      },
    },
    {
      identifiers: ["CVE-2025-32379", "GHSA-x2rg-q646-7m2v"],
      package: "koa",
      flaw: "The redirect page ran a `javascript:` URL when its link was followed.",
      here: "a `javascript:` URL in a redirect is only text on the page",
      async attack() {
        for (
          const url of [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            " javascript:alert(1)",
            "data:text/html,<script>x",
          ]
        ) {
          isHarmless((await redirected(url, "text/html")).body);
        }
      },
    },
    {
      identifiers: ["CVE-2024-43799", "GHSA-m6fv-jmcg-4jfg", "CVE-2024-43800", "GHSA-cm22-4g7w-348p"],
      package: "send, serve-static",
      flaw: "The page that redirects to a folder had a link built from the request path.",
      here: "the page that redirects to a folder has no link, and its text is escaped",
      async attack() {
        const root = await Deno.makeTempDir();
        try {
          const names = ["<script>alert(1)<", "a'onmouseover=alert(1) b", "javascript:alert(1)", "plain"];
          for (const name of names) await Deno.mkdir(`${root}/${name}`);
          const app = quietApp();
          app.use(sluice.static(root));
          for (const name of names) {
            const response = await ask(app, `/${encodeURIComponent(name)}?q="><script>`);
            assertEquals(response.status, 301);
            isHarmless(await response.text());
            assertMatch(response.headers.get("content-security-policy")!, /default-src 'none'/);
          }
        } finally {
          await Deno.remove(root, { recursive: true });
        }
      },
    },
    {
      identifiers: ["CVE-2015-1164"],
      package: "serve-static",
      flaw: "`//evil.example/%2e%2e` was redirected to `//evil.example/%2e%2e/`, which is another host.",
      here: "the redirect to a folder never leads to another host",
      async attack() {
        const root = await Deno.makeTempDir();
        try {
          await Deno.mkdir(`${root}/evil.example`);
          const app = quietApp();
          app.use(sluice.static(root));
          const paths = [
            "//evil.example",
            "///evil.example",
            "//evil.example/%2e%2e",
            "/\\evil.example",
            "//evil.example/..;/",
          ];
          for (const path of paths) {
            const response = await ask(app, path);
            await response.body?.cancel();
            const location = response.headers.get("location") ?? "/";
            assertEquals([path, new URL(location, "http://localhost/").host], [path, "localhost"]);
          }
        } finally {
          await Deno.remove(root, { recursive: true });
        }
      },
    },
    {
      identifiers: ["CVE-2026-1527", "GHSA-4992-7rv2-5pvq"],
      package: "undici",
      flaw: "A header value with CR LF was written unchanged.",
      here: "headers with CR, LF or NUL throw, whichever method sets them",
      async attack() {
        const app = quietApp();
        app.get("/", (_req, res) => {
          for (const end of ["\r\nX-Evil: 1", "\nX-Evil: 1", "\rX", "\0"]) {
            const value = `a${end}`;
            assertThrows(() => res.set("X-A", value), TypeError);
            assertThrows(() => res.setHeader("X-A", value), TypeError);
            assertThrows(() => res.append("X-A", value), TypeError);
            assertThrows(() => res.set(value, "x"), TypeError);
            assertThrows(() => res.writeHead(200, { "X-A": value }), TypeError);
            res.location(`/x${end}`);
            assert(!/[\r\n\0]/.test(String(res.get("location"))));
          }
          res.status(204).end();
        });
        const { status, headers } = await ask(app, "/");
        assertEquals([status, headers.get("x-evil"), headers.get("x-a")], [204, null, null]);
      },
    },
    {
      identifiers: ["CVE-2025-7339", "GHSA-76c9-3jph-rj3q"],
      package: "on-headers",
      flaw: "Headers passed to `writeHead` as an array were changed by listeners.",
      here: "headers passed to `writeHead` as an array are sent unchanged, also behind middleware",
      async attack() {
        const app = quietApp();
        app.use(compress({ threshold: 0 }));
        app.get("/", (_req, res: FrameworkResponse) => {
          res.writeHead(
            200,
            ["X-A", "1", "Set-Cookie", "a=1", "Set-Cookie", "b=2", "Content-Type", "text/plain"] as never,
          );
          res.end("body");
        });
        const response = await ask(app, "/");
        assertEquals(await response.text(), "body");
        assertEquals(response.headers.get("x-a"), "1");
        assertEquals(response.headers.getSetCookie(), ["a=1", "b=2"]);
      },
    },
    {
      identifiers: ["CVE-2026-33128", "CVE-2026-29085", "GHSA-p6xx-57qc-3wxr"],
      package: "h3, hono",
      flaw: "A line break in a field of an event began another field or event.",
      here: "a line break throws in `event` or `id`, and continues the data in `data`",
      async attack() {
        const app = quietApp();
        app.get("/", (req, res) => {
          const events = sse(req, res, { heartbeatMs: 0 });
          for (const end of ["\n", "\r", "\r\n"]) {
            const evil = `x${end}data: evil${end}${end}event: admin${end}data: y`;
            for (const event of [{ event: evil, data: "a" }, { id: evil, data: "a" }]) {
              assertThrows(() => void events.send(event), Error);
            }
            assertThrows(() => void events.send({ retry: evil as unknown as number, data: "a" }), Error);
            events.send({ event: "news", data: evil });
            events.send(evil);
          }
          events.close();
        });
        const sent = eventsIn(await (await ask(app, "/")).text());
        assertEquals(
          sent.map(({ event }) => event),
          Array.from({ length: 6 }, (_, i) => i % 2 === 0 ? "news" : "message"),
        );
        assert(sent.every(({ data }) => data.startsWith("x\ndata: evil\n")));
      },
    },
    {
      identifiers: ["CVE-2026-5078", "GHSA-4vj7-5mj6-jm8m"],
      package: "morgan",
      flaw: "Control characters in a user name could forge log lines.",
      here: "every request is one log line without control characters, whatever its content",
      async attack() {
        for (const format of ["json", "text"] as const) {
          const lines: string[] = [];
          const app = quietApp();
          app.use(log({ format, stream: (line: string) => void lines.push(line) }));
          app.get("/*rest", (_req, res) => res.send("done"));
          const user = btoa('evil\r\n203.0.113.7 - admin "GET /forged"\x1b[2J');
          const headers = {
            authorization: `Basic ${user}`,
            "user-agent": "a\x1b[31m\x7f\x9b",
            referer: "http://x/\x85",
            "x-request-id": "a\tb",
          };
          await (await ask(app, "/%0d%0aforged%1b[2J%e2%80%a8?q=%0a", { headers })).text();
          await new Promise((resolve) => setTimeout(resolve, 0));
          assertEquals(lines.length, 1);
          // deno-lint-ignore no-control-regex -- what a line must not have
          assert(!/[\0-\x1f\x7f-\x9f\u2028\u2029]/.test(lines[0]!), JSON.stringify(lines[0]));
        }
      },
    },
    {
      identifiers: ["CVE-2026-25224", "GHSA-mrq3-vjjr-p77c"],
      package: "fastify",
      flaw: "A stream was read while the client read nothing, with unlimited memory.",
      here: "a stream is read no faster than the client reads the response",
      async attack() {
        let pieces = 0;
        const app = quietApp();
        const source = () =>
          new ReadableStream<Uint8Array>({
            pull: (controller) => (pieces++, controller.enqueue(new Uint8Array(65_536))),
          });
        app.get("/sent", (_req, res) => res.send(source() as never));
        app.get("/returned", () => new Response(source()));
        for (const path of ["/sent", "/returned"]) {
          pieces = 0;
          const response = await ask(app, path);
          const reader = response.body!.getReader();
          await reader.read();
          for (let i = 0; i < 50; i++) await new Promise((resolve) => setTimeout(resolve, 0));
          assert(pieces <= 16, `${pieces} pieces for ${path}`);
          await reader.cancel();
        }
      },
    },
  ],
};
