/**
 * The tests of Express's own suite that fail on Sluice, one by one, and why. A test that is not listed and fails, or that
 * is listed and passes, fails the run.
 *
 * On Bun, the suite runs with the entry `./node`: supertest makes a server of `node:http` for every application, and
 * `require("@sluice/sluice")` alone is the package for servers of `fetch` there, with which most tests fail.
 */
import type { RuntimeName } from "../../../reliability/support/children.ts";

/** Tests that fail for one reason. */
export interface Failing {
  /** A short name for the reason, under which results are kept. */
  readonly kind: string;
  /** The reason, for users. */
  readonly why: string;
  /** Runtimes on which they fail; all by default. */
  readonly on?: readonly RuntimeName[];
  /** Full titles of the tests. */
  readonly tests: readonly string[];
}

/** All of them. */
export const FAILING: readonly Failing[] = [
  {
    kind: "entity tags",
    why:
      'entity tags are made by a faster hash ([why](decisions/0005-entity-tags.md)); `app.set("etag", "sha1")` makes those of Express',
    tests: [
      "res .send(Buffer) should set ETag",
      "res .send(String) should set ETag",
      'res "etag" setting when enabled should send ETag',
      'res "etag" setting when enabled should send ETag for empty string response',
      'res "etag" setting when enabled should send ETag for long response',
      'res "etag" setting when enabled should send ETag in response to ACL request',
      'res "etag" setting when enabled should send ETag in response to BIND request',
      'res "etag" setting when enabled should send ETag in response to CHECKOUT request',
      'res "etag" setting when enabled should send ETag in response to COPY request',
      'res "etag" setting when enabled should send ETag in response to DELETE request',
      'res "etag" setting when enabled should send ETag in response to GET request',
      'res "etag" setting when enabled should send ETag in response to HEAD request',
      'res "etag" setting when enabled should send ETag in response to LINK request',
      'res "etag" setting when enabled should send ETag in response to LOCK request',
      'res "etag" setting when enabled should send ETag in response to M-SEARCH request',
      'res "etag" setting when enabled should send ETag in response to MERGE request',
      'res "etag" setting when enabled should send ETag in response to MKACTIVITY request',
      'res "etag" setting when enabled should send ETag in response to MKCALENDAR request',
      'res "etag" setting when enabled should send ETag in response to MKCOL request',
      'res "etag" setting when enabled should send ETag in response to MOVE request',
      'res "etag" setting when enabled should send ETag in response to NOTIFY request',
      'res "etag" setting when enabled should send ETag in response to OPTIONS request',
      'res "etag" setting when enabled should send ETag in response to PATCH request',
      'res "etag" setting when enabled should send ETag in response to POST request',
      'res "etag" setting when enabled should send ETag in response to PROPFIND request',
      'res "etag" setting when enabled should send ETag in response to PROPPATCH request',
      'res "etag" setting when enabled should send ETag in response to PURGE request',
      'res "etag" setting when enabled should send ETag in response to PUT request',
      // Express skips it on Node 20, whose servers refuse the method
      'res "etag" setting when enabled should send ETag in response to QUERY request',
      'res "etag" setting when enabled should send ETag in response to REBIND request',
      'res "etag" setting when enabled should send ETag in response to REPORT request',
      'res "etag" setting when enabled should send ETag in response to SEARCH request',
      'res "etag" setting when enabled should send ETag in response to SOURCE request',
      'res "etag" setting when enabled should send ETag in response to SUBSCRIBE request',
      'res "etag" setting when enabled should send ETag in response to TRACE request',
      'res "etag" setting when enabled should send ETag in response to UNBIND request',
      'res "etag" setting when enabled should send ETag in response to UNLINK request',
      'res "etag" setting when enabled should send ETag in response to UNLOCK request',
      'res "etag" setting when enabled should send ETag in response to UNSUBSCRIBE request',
      'res "etag" setting when "weak" should send weak ETag',
    ],
  },
  {
    kind: "spellings of files",
    why:
      "files are not served under spellings that no client sends, which would pass the guards in front of them ([why](decisions/0068-spellings-of-a-path.md))",
    tests: [
      "express.static() basic operations should support ../",
      "express.static() redirect should not redirect to protocol-relative locations",
    ],
  },
  {
    kind: "statuses",
    why: "a status outside 200 to 599 is a `RangeError`, sent as 500: no web `Response` can have it",
    tests: [
      "res .status(code) accept valid ranges should set the response status code to 101",
      "res .status(code) accept valid ranges should set the response status code to 700",
      "res .status(code) accept valid ranges should set the response status code to 800",
      "res .status(code) accept valid ranges should set the response status code to 900",
    ],
  },
  {
    kind: "hosts",
    why: "`Host: http://example.com` is not a host and gets a 400 ([security](security.md))",
    tests: [
      "res when accepting html should escape the url",
      "res when accepting html should not render evil javascript links in anchor href (prevent XSS)",
      "res when accepting text should encode the url",
    ],
  },
  {
    kind: "addresses",
    why: "`req.ip` of an IPv4 client is its IPv4 address, without `::ffff:` in front",
    tests: [
      "req .ip when X-Forwarded-For is not present should return the remote address",
      'req .ip when X-Forwarded-For is present when "trust proxy" is disabled should return the remote address',
    ],
  },
  {
    kind: "views",
    why:
      "the extension of a view never loads a module ([why](decisions/0018-text-never-names-a-module.md)); the error has another message",
    tests: ['res .render(name) should error without "view engine" set and file extension to a non-engine module'],
  },
  {
    kind: "early 413",
    why: "a body above the limit gets its 413 at once, not when its client has sent all of it; the test listens later",
    tests: ["express.text() with limit option should not error when inflating"],
  },
  {
    kind: "files on Deno",
    why:
      "Deno sends files of up to 1 MiB itself and [does not report](express-differences.md) whether they arrived, so the callback of `res.sendFile` gets no error",
    on: ["Deno"],
    tests: ["res .sendFile(path, fn) should invoke the callback when client aborts"],
  },
];
