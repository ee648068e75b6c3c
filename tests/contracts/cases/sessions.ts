import { assertEquals } from "@std/assert";
import { type Ask, type Chapter, chapter } from "../case.ts";

/** A client with a cookie jar for one cookie. */
function client(ask: Ask, path: string, cookie = "") {
  return {
    get cookie() {
      return cookie;
    },
    async ask(rest: string, init: RequestInit = {}): Promise<Response> {
      const headers = { ...init.headers as Record<string, string>, ...(cookie === "" ? {} : { cookie }) };
      const response = await ask(path + rest, { ...init, headers });
      const [line] = response.headers.getSetCookie();
      if (line !== undefined) cookie = line.includes("1970") ? "" : line.split(";")[0]!;
      return response;
    },
    async json(rest: string, init?: RequestInit): Promise<unknown> {
      return await (await this.ask(rest, init)).json();
    },
  };
}

/**
 * Bytes that change a cookie's name and that browsers let other hosts in the domain set: U+00A0, U+0085, U+2000, U+3000
 * and U+FEFF, as single bytes and in UTF-8. Only spaces and tabs are not part of a name (RFC 9110 section 5.6.3).
 */
const OTHER_BLANKS = ["\xa0", "\x85", "\xc2\xa0", "\xc2\x85", "\xe2\x80\x80", "\xe3\x80\x80", "\xef\xbb\xbf"];

/** A cookie with bytes in front of its name, alone and after another cookie. */
function renamed(blank: string, cookie: string): string[] {
  return [blank + cookie, `other=1;${blank}${cookie}`, `other=1; ${blank} ${cookie}; another=2`];
}

/** Sessions and cross-site requests with `@sluice/middleware`. */
export const sessions: Chapter = chapter("Sessions", (it) => {
  for (const kind of ["sealed", "stored"]) {
    const path = `/sessions/${kind}`;

    it(`what is ${kind} lasts until it is destroyed, however the program responds`, async ({ ask }) => {
      const one = client(ask, path);
      assertEquals(await one.json("/"), {});
      assertEquals([await one.json("/set/1"), await one.json("/")], [{ value: "1" }, { value: "1" }]);
      assertEquals([await one.json("/returned/2"), await one.json("/")], [{ value: "2" }, { value: "2" }]);
      assertEquals(await (await one.ask("/streamed/3")).text(), "one two three");
      assertEquals(await one.json("/"), { value: "3" });
      assertEquals([await one.json("/regenerate"), await one.json("/")], [{ user: "ada" }, { user: "ada" }]);
      assertEquals([await one.json("/destroy"), one.cookie, await one.json("/")], [{}, "", {}]);
    });

    it(`a cookie of what is ${kind} that was tampered with is an empty session`, async ({ ask }) => {
      const one = client(ask, path);
      await one.json("/set/1");
      const last = one.cookie.at(-10) === "A" ? "B" : "A";
      const forged = client(ask, path, one.cookie.slice(0, -10) + last + one.cookie.slice(-9));
      assertEquals(await forged.json("/"), {});
    });

    it(`a cookie whose name only looks like that of what is ${kind} is another one`, async ({ ask }) => {
      const one = client(ask, path);
      await one.json("/set/1");
      for (const cookie of renamed(" \t ", one.cookie)) {
        assertEquals(await client(ask, path, cookie).json("/"), { value: "1" }, JSON.stringify(cookie));
      }
      for (const cookie of OTHER_BLANKS.flatMap((blank) => renamed(blank, one.cookie))) {
        assertEquals(await client(ask, path, cookie).json("/"), {}, JSON.stringify(cookie));
      }
    }, "octets");

    it(`a page of another site is refused, and a token of what is ${kind} accepted`, async ({ ask }) => {
      const one = client(ask, path);
      const token = await (await one.ask("/token")).text();
      const statuses: number[] = [];
      const all: Record<string, string>[] = [{ origin: "https://evil.example" }, {}, { "x-csrf-token": token }];
      for (const headers of all) {
        const response = await one.ask("/", { method: "POST", headers });
        statuses.push(response.status);
        await response.text();
      }
      assertEquals(statuses, [403, 403, 200]);
    });
  }

  it("a token is worth nothing with a cookie whose name only looks like that of its secret", async ({ ask }) => {
    const one = client(ask, "/guarded");
    const token = await (await one.ask("")).text();
    const send = async (cookie: string) => {
      const headers = { cookie, "x-csrf-token": token };
      const response = await ask("/guarded", { method: "POST", headers });
      await response.text();
      return response.status;
    };
    for (const cookie of renamed(" \t ", one.cookie)) assertEquals(await send(cookie), 200, JSON.stringify(cookie));
    for (const cookie of OTHER_BLANKS.flatMap((blank) => renamed(blank, one.cookie))) {
      assertEquals(await send(cookie), 403, JSON.stringify(cookie));
    }
  }, "octets");
});
