import { Buffer } from "node:buffer";
import { assertEquals } from "@std/assert";
import etag from "etag";
import fresh from "fresh";
import mime from "mime-types";
import Negotiator from "negotiator";
import { parse as parseNodeQuery } from "node:querystring";
import { EventEmitter } from "node:events";
import proxyAddr from "proxy-addr";
import qs from "qs";
import parseRange from "range-parser";
import { parseByteRange } from "../../src/http/byte_range.ts";
import { Emitter } from "../../src/util/emitter.ts";
import { fileEntityTag, sha1EntityTag, strongEntityTag } from "../../src/http/entity_tag.ts";
import { hmacSha256 } from "../../src/util/sha256.ts";
import { compileTrust, walkForwarded } from "../../src/http/trust_proxy.ts";
import { isFresh } from "../../src/http/freshness.ts";
import { contentTypeOf } from "../../src/http/media_types.ts";
import {
  negotiateCharsets,
  negotiateEncodings,
  negotiateLanguages,
  negotiateMediaTypes,
} from "../../src/http/negotiation.ts";
import { parseExtendedQuery } from "../../src/http/nested_query.ts";
import { parseSimpleQuery } from "../../src/http/query_string.ts";
import { random } from "../support/random.ts";

/** Unicode blanks that HTTP treats as part of the neighboring value, and the empty string. */
const OTHER_BLANKS = ["", "", "", "\u00a0", "\u0085", "\u2000", "\u3000", "\ufeff"];

// deno-lint-ignore no-explicit-any -- the oracles are untyped
type Any = any;

Deno.test("ranges are parsed as by range-parser", () => {
  const pick = random(1);
  const parts = [
    "0-4",
    "5-",
    "-3",
    "90-200",
    "200-300",
    "abc",
    "-",
    "3-1",
    " 1 - 2 ",
    "0-0",
    "-0",
    "\u00a01\u3000- 2\ufeff",
  ];
  for (let i = 0; i < 3000; i++) {
    const header = `bytes=${Array.from({ length: 1 + pick(3) }, () => parts[pick(parts.length)]).join(",")}`;
    const options = { combine: pick(2) === 1 };
    const ours = parseByteRange(100, header, options);
    const theirs = (parseRange as Any)(100, header, options);
    assertEquals(JSON.stringify(ours), JSON.stringify(theirs), header);
  }
});

Deno.test("accept headers are negotiated as by negotiator", () => {
  const pick = random(2);
  const values = ["text/html", "text/*", "*/*", "application/json", "text/plain;level=1", "image/png", "junk", ""];
  const words = ["utf-8", "gzip", "en", "en-US", "*", "identity", "fr", "br", "de-AT"];
  const weights = ["", ";q=0.5", ";q=0", ";q=1", "; q=0.8"];
  const header = (from: string[]) =>
    Array.from({ length: 1 + pick(4) }, () => {
      const blank = () => OTHER_BLANKS[pick(OTHER_BLANKS.length)]!;
      return blank() + from[pick(from.length)]! + blank() + weights[pick(weights.length)]!;
    }).join(", ");
  const some = (from: string[]) => from.filter((value) => value !== "" && value !== "junk" && pick(2) === 1);
  for (let i = 0; i < 3000; i++) {
    const accept = header(values);
    const word = header(words);
    const types = some(values);
    const offered = some(words);
    const theirs = new Negotiator({
      headers: { accept, "accept-charset": word, "accept-encoding": word, "accept-language": word },
    });
    assertEquals(negotiateMediaTypes(accept, types), theirs.mediaTypes(types), `${accept} for ${types}`);
    assertEquals(negotiateCharsets(word, offered), theirs.charsets(offered), `charset ${word} for ${offered}`);
    assertEquals(negotiateEncodings(word, offered), theirs.encodings(offered), `encoding ${word} for ${offered}`);
    assertEquals(negotiateLanguages(word, offered), theirs.languages(offered), `language ${word} for ${offered}`);
  }
});

Deno.test("freshness is determined as by fresh", () => {
  const pick = random(3);
  const tags = [undefined, '"a"', 'W/"a"', '"b"', "*", '"a", "b"', '"c",W/"a"', '\u00a0"a"', '"b", "a"\u3000'];
  const dates = [undefined, "Sat, 01 Jan 2000 00:00:00 GMT", "Sat, 01 Jan 2005 00:00:00 GMT", "never"];
  const caches = [undefined, "no-cache", "max-age=0", "private, no-cache", "\u00a0no-cache"];
  const of = <T>(from: readonly T[]): T => from[pick(from.length)]!;
  for (let i = 0; i < 3000; i++) {
    const request = { ifNoneMatch: of(tags), ifModifiedSince: of(dates), cacheControl: of(caches) };
    const response = { etag: of(['"a"', 'W/"a"', undefined]), lastModified: of(dates) };
    const theirs = (fresh as Any)(
      {
        "if-none-match": request.ifNoneMatch,
        "if-modified-since": request.ifModifiedSince,
        "cache-control": request.cacheControl,
      },
      { etag: response.etag, "last-modified": response.lastModified },
    );
    assertEquals(isFresh(request, response), theirs, JSON.stringify({ request, response }));
  }
});

Deno.test("forwarded addresses are walked as by proxy-addr", () => {
  const pick = random(4);
  const addresses = [
    "127.0.0.1",
    "10.1.2.3",
    "192.168.0.9",
    "8.8.8.8",
    "::1",
    "fd00::1",
    "2001:db8::7",
    "::ffff:10.0.0.1",
  ];
  const trusts = ["loopback", "loopback, uniquelocal", "10.0.0.0/8", "2001:db8::/32", "8.8.8.8", "10.0.0.0/255.0.0.0"];
  for (let i = 0; i < 2000; i++) {
    const blank = () => pick(8) === 0 ? OTHER_BLANKS[pick(OTHER_BLANKS.length)]! : "";
    const list = Array.from({ length: pick(4) }, () => blank() + addresses[pick(addresses.length)]! + blank());
    // a Unix socket has no address
    const peer = [...addresses, undefined][pick(addresses.length + 1)];
    const trust = trusts[pick(trusts.length)]!;
    const hops = pick(3);
    const request = {
      connection: { remoteAddress: peer },
      socket: { remoteAddress: peer },
      headers: { "x-forwarded-for": list.join(", ") },
    } as Any;
    const walked = (setting: string | number) => walkForwarded(peer, list.join(", "), compileTrust(setting));
    const byHops = proxyAddr.all(request, (_address: string, hop: number) => hop < hops);
    assertEquals(walked(hops), byHops, `${peer} ${list} ${hops}`);
    // proxy-addr cannot match a subnet against undefined
    if (peer === undefined) continue;
    assertEquals(walked(trust), proxyAddr.all(request, trust.split(/, */)), `${peer} ${list} ${trust}`);
  }
});

Deno.test("simple queries are parsed as by Node", () => {
  const pick = random(5);
  const letters = ["a", "b", "=", "&", "+", "%20", "%", "%zz", "%E4%BD%A0", "%ff", "[", "]"];
  for (let i = 0; i < 4000; i++) {
    const query = Array.from({ length: pick(12) }, () => letters[pick(letters.length)]).join("");
    assertEquals({ ...parseSimpleQuery(query) }, { ...parseNodeQuery(query) } as Any, query);
  }
});

Deno.test("extended queries are parsed as by qs", () => {
  const queries = [
    "a=1",
    "a=1&a=2",
    "a[]=1&a[]=2",
    "a[0]=x&a[1]=y",
    "a[1]=y&a[0]=x",
    "a[b]=1",
    "a[b][c]=1&a[b][d]=2",
    "a[b]=1&a[c]=2",
    "a[5]=1",
    "a[100]=1",
    "a[b][]=1&a[b][]=2",
    "a[][b]=1",
    "a[0][b]=1&a[0][c]=2",
    "a.b=1",
    "a%5Bb%5D=1",
    "=x",
    "&&a=1",
    "a",
    "a[b",
    "a]b=1",
    "a[b]c=1",
    "a[b][c][d][e][f][g][h]=1",
    "a=b=c",
    "toString=1",
    "__proto__[x]=1",
    "a[__proto__][x]=1",
    "a[hasOwnProperty]=1",
    "a[0]=1&a[b]=2",
    "a[]=&a[]=b",
    "x[a[b]]=1",
  ];
  for (const query of queries) {
    const theirs = qs.parse(query, { allowPrototypes: true });
    assertEquals(JSON.stringify(parseExtendedQuery(query, { allowPrototypes: true })), JSON.stringify(theirs), query);
  }
});

Deno.test("extended queries with any brackets are parsed as by qs", () => {
  const pick = random(7);
  const keys = [
    "[]",
    "[]",
    "[0]",
    "[1]",
    "[2]",
    "[x]",
    "[y]",
    "[",
    "]",
    "%5B",
    "[__proto__]",
    "[toString]",
    "[25]",
    "",
  ];
  keys.push(".", "%", "c", "[a[b]]", "?", "%zz", "+");
  const values = ["1", "2", "", "x%20y", "50%", "é"];
  const part = () => {
    const name = (pick(8) > 0 ? "a" : "b") + Array.from({ length: pick(4) }, () => keys[pick(keys.length)]).join("");
    return name + (pick(8) > 0 ? `=${values[pick(values.length)]}` : "");
  };
  const allowPrototypes = true;
  const all = [
    ...[{ allowPrototypes }, { allowPrototypes, arrayLimit: 3 }, { allowPrototypes, depth: 0 }, { depth: 2 }],
    { allowPrototypes, depth: 2, strictDepth: true, arrayLimit: 100 },
  ];
  const read = (parse: Any, query: string, options: object) => {
    try {
      return JSON.stringify(parse(query, options));
    } catch (error) {
      return (error as Error).name;
    }
  };
  for (let i = 0; i < 4000; i++) {
    const query = Array.from({ length: 1 + pick(5) }, part).join("&");
    for (const options of all) {
      const told = `${query} with ${JSON.stringify(options)}`;
      assertEquals(read(parseExtendedQuery, query, options), read(qs.parse, query, options), told);
    }
  }
});

Deno.test("no query can reach the prototype of objects", () => {
  parseExtendedQuery("__proto__[polluted]=1&constructor[prototype][polluted]=1", { allowPrototypes: true });
  assertEquals(({} as Any).polluted, undefined);
});

Deno.test("content types of common extensions are those of mime-types", () => {
  const extensions =
    "html htm css js mjs json txt xml svg png jpg jpeg gif webp ico pdf zip gz woff woff2 ttf mp3 mp4 webm csv wasm " +
    "md webmanifest map ics avif";
  const different = extensions.split(" ").filter((extension) =>
    (contentTypeOf(extension) ?? "").toLowerCase() !== String(mime.contentType(extension)).toLowerCase()
  );
  assertEquals(different, []);
});

Deno.test("what follows an extension makes another one of it, as with mime-types", () => {
  const blanks = [...OTHER_BLANKS.filter((blank) => blank !== ""), " ", "\t", "\v", "\f", "\n", "\u2028"];
  const named = blanks.flatMap((blank) => [`html${blank}`, `page.svg${blank}`, `.${blank}xml`, `ht${blank}ml`]);
  for (const name of named) {
    // the package gets a file name: it treats anything with a slash as a type
    assertEquals(contentTypeOf(name), mime.contentType(`x.${name}`) || undefined, JSON.stringify(name));
  }
});

Deno.test("names of inherited object properties are not extensions", () => {
  assertEquals(contentTypeOf("constructor"), undefined);
  assertEquals(contentTypeOf("__proto__"), undefined);
});

Deno.test("entity tags by SHA-1, weak and strong, and those of files, equal Express's", () => {
  const bodies = [
    "",
    "hello",
    "ü".repeat(100),
    "grün",
    "😀 \ud800",
    ...Array.from({ length: 300 }, (_, i) => "x".repeat(i)),
  ];
  for (const body of [...bodies, "x".repeat(5000)]) {
    const bytes = new TextEncoder().encode(body);
    const theirs = (etag as Any)(Buffer.from(bytes));
    assertEquals([strongEntityTag(body), strongEntityTag(bytes)], [theirs, theirs]);
    assertEquals([sha1EntityTag(body), sha1EntityTag(bytes)], [`W/${theirs}`, `W/${theirs}`]);
  }
  const stat = { size: 1234, mtimeMs: 1_700_000_000_123 };
  const theirs = (etag as Any)({ size: 1234, mtime: new Date(stat.mtimeMs), ino: 1, ctime: new Date() });
  assertEquals(fileEntityTag(stat), theirs);
});

Deno.test("HMAC-SHA-256 equals WebCrypto's", async () => {
  for (const size of [1, 63, 64, 65, 200]) {
    const key = new Uint8Array(size).fill(7);
    const message = new Uint8Array(size * 3).fill(9);
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
    assertEquals([...hmacSha256(key, message)], [
      ...new Uint8Array(await crypto.subtle.sign("HMAC", imported, message)),
    ]);
  }
});

Deno.test("events are emitted in the order of Node's emitter", () => {
  function play(emitter: Any): string[] {
    const log: string[] = [];
    const a = () => log.push("a");
    emitter.on("x", a).once("x", () => log.push("once")).prependListener("x", () => log.push("first"));
    emitter.on("x", () => emitter.off("x", a));
    emitter.on("x", () => emitter.on("x", () => log.push("added")));
    log.push(String(emitter.emit("x")), String(emitter.emit("x")), String(emitter.emit("none")));
    log.push(String(emitter.listenerCount("x")));
    emitter.once("x", () => log.push("raw once"));
    for (const listener of emitter.rawListeners("x")) listener();
    log.push(String(emitter.listenerCount("x")), String(emitter.rawListeners("none")));
    emitter.removeAllListeners("x");
    log.push(String(emitter.emit("x")));
    return log;
  }
  assertEquals(play(new Emitter()), play(new EventEmitter()));
});

Deno.test("a once listener runs once, and its removal leaves other listeners, as with Node's emitter", () => {
  const play = (emitter: Any): unknown[] => {
    const seen: unknown[] = [];
    const note = () => seen.push("noted");
    emitter.once("twice", note).on("twice", note);
    emitter.emit("twice");
    seen.push(emitter.listenerCount("twice"), emitter.emit("twice"), emitter.listenerCount("twice"));
    let depth = 0;
    emitter.on("again", () => ++depth === 1 && emitter.emit("again")).once("again", () => seen.push(`at ${depth}`));
    emitter.emit("again");
    const going = () => seen.push("still called");
    emitter.once("going", () => emitter.off("going", going)).once("going", going);
    emitter.emit("going");
    return [...seen, emitter.eventNames()];
  };
  assertEquals(play(new Emitter()), play(new EventEmitter()));
});
