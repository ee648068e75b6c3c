/** Header bytes that are optional whitespace (spaces and tabs), on every runtime that listens. */
import { assert, assertEquals } from "@std/assert";
import { startServing } from "../contracts/serving.ts";
import { LISTENING_RUNTIMES } from "../support/listening_runtimes.ts";
import { opened, untilClosed } from "../support/raw_client.ts";

/** Header bytes that JavaScript or another parser treats as blanks. */
const OTHER_BLANKS = {
  "U+00A0 as a byte": "\xa0",
  "U+0085 as a byte": "\x85",
  "a vertical tab": "\x0b",
  "a form feed": "\x0c",
  "U+00A0": "\xc2\xa0",
  "U+0085": "\xc2\x85",
  "U+1680": "\xe1\x9a\x80",
  "U+2000": "\xe2\x80\x80",
  "U+2028": "\xe2\x80\xa8",
  "U+3000": "\xe3\x80\x80",
  "U+FEFF": "\xef\xbb\xbf",
};

/** Sends a request with one byte per character; returns the status, the program's output and its cookie. */
async function ask(origin: string, start: string, ...headers: string[]) {
  const body = start.startsWith("POST") ? "{}" : "";
  const head = [
    `${start} HTTP/1.1`,
    "Host: h",
    "Connection: close",
    `Content-Length: ${body.length}`,
    ...headers,
    "",
    body,
  ];
  const bytes = Uint8Array.from(head.join("\r\n"), (character) => character.charCodeAt(0));
  const response = await untilClosed(await opened({ port: Number(new URL(origin).port) }, bytes));
  const status = Number(response.split(" ")[1]);
  const told: unknown = status === 200 ? JSON.parse(response.match(/^["[{].*$/m)![0]) : undefined;
  return { status, told, cookie: /^set-cookie: ([^;]*)/im.exec(response)?.[1] ?? "" };
}

for (const { name, ignore, command } of LISTENING_RUNTIMES) {
  Deno.test(`on ${name}, only spaces and tabs are no part of what a header says`, { ignore }, async (t) => {
    const [program, ...args] = await command("tests/fixtures/protocol_text.ts");
    const { origin, stop } = await startServing(program, args);
    const tls = "X-Forwarded-Proto: https";
    try {
      const { cookie } = await ask(origin, "GET /session/set/attacker", tls);
      const guarded = await ask(origin, "GET /guarded", tls);
      assert(cookie.startsWith("__Host-session="), cookie);
      assert(guarded.cookie.startsWith("__Host-csrf="), guarded.cookie);
      const token = `X-CSRF-Token: ${guarded.told}`;

      await t.step("a space and a tab", async () => {
        const blank = " \t ";
        const session = await ask(origin, "GET /session", tls, `Cookie: a=1;${blank}${cookie}${blank}; b=2`);
        assertEquals(session.told, ["attacker", ["a", "__Host-session", "b"]]);
        const post = await ask(origin, "POST /guarded", tls, token, `Cookie: a=1;${blank}${guarded.cookie}`);
        assertEquals(post.told, ["a", "__Host-csrf"]);
        const proxy = ["Proto: https", "Host: a.example", "For: 1.2.3.4"]
          .map((line) => `X-Forwarded-${line}${blank},${blank}x`);
        assertEquals((await ask(origin, "GET /proxy", ...proxy)).told, [true, "a.example", "1.2.3.4"]);
        const type = await ask(
          origin,
          "POST /type",
          `Content-Type:${blank}Application/JSON${blank};${blank}charset=utf-8`,
        );
        assertEquals(type.told, ["json", false]);
      });

      for (const [what, blank] of Object.entries(OTHER_BLANKS)) {
        await t.step(what, async () => {
          // a server may reject the request
          const isTold = ({ status }: { status: number }) => (assert(status === 200 || status === 400), status === 200);
          for (const given of [blank + cookie, `a=1; ${blank}${cookie}`]) {
            const session = await ask(origin, "GET /session", tls, `Cookie: ${given}`);
            if (!isTold(session)) continue;
            const [user, names] = session.told as [unknown, string[]];
            assertEquals([user, names.includes("__Host-session")], [null, false]);
          }
          const post = await ask(origin, "POST /guarded", tls, token, `Cookie: ${blank}${guarded.cookie}`);
          assert(post.status === 403 || post.status === 400, `${post.status}`);
          const proto = await ask(origin, "GET /proxy", `X-Forwarded-Proto: ${blank}https`);
          if (isTold(proto)) assertEquals((proto.told as unknown[])[0], false);
          const address = await ask(origin, "GET /proxy", `X-Forwarded-For: ${blank}1.2.3.4`);
          if (isTold(address)) assert((address.told as unknown[])[2] !== "1.2.3.4");
          for (const type of [`${blank}application/json`, `text/plain${blank}`]) {
            const is = await ask(origin, "POST /type", `Content-Type: ${type}`);
            if (isTold(is)) assertEquals(is.told, [false, false]);
          }
        });
      }
    } finally {
      await stop();
    }
  });
}
