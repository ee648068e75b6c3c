/**
 * Lists each test in Express's own suites that fails with `@sluice/express`, with the reason. The run fails when an
 * unlisted test fails or a listed test passes. No other differences in these suites are known.
 */
import type { RuntimeName } from "../../../reliability/support/children.ts";
import type { Major } from "./suite.ts";

/** Tests that fail for the same reason. */
export interface Failing {
  /** A short name for the reason, used as the key in results. */
  readonly kind: string;
  /** The reason, for users. */
  readonly why: string;
  /** Runtimes on which they fail; all runtimes by default. */
  readonly on?: readonly RuntimeName[];
  /** Full test titles, by the suite's major. */
  readonly tests: Readonly<Partial<Record<Major, readonly string[]>>>;
}

/** Titles in both suites. */
function both(...titles: string[]): Failing["tests"] {
  return { 4: titles, 5: titles };
}

/** All known failures. */
export const FAILING: readonly Failing[] = [
  {
    kind: "spellings of files",
    why:
      "files are not served under spellings that no client sends, which would pass the guards in front of them ([why](decisions/0068-spellings-of-a-path.md))",
    tests: both(
      "express.static() basic operations should support ../",
      "express.static() redirect should not redirect to protocol-relative locations",
    ),
  },
  {
    kind: "hosts",
    why: "`Host: http://example.com` is not a host and gets a 400 ([security](security.md))",
    tests: both(
      "res when accepting html should escape the url",
      "res when accepting html should not render evil javascript links in anchor href (prevent XSS)",
      "res when accepting text should encode the url",
    ),
  },
  {
    kind: "early 413",
    why: "a body above the limit gets its 413 at once, not when its client has sent all of it; the test listens later",
    tests: both("express.text() with limit option should not error when inflating"),
  },
  {
    kind: "bodies read twice",
    why: "a parser behind code that has read the body passes the request on, as in Express 5; Express 4 fails with 500",
    tests: {
      4: [
        "express.json() should 500 if stream not readable",
        "express.raw() should 500 if stream not readable",
        "express.text() should 500 if stream not readable",
        "express.urlencoded() should 500 if stream not readable",
      ],
    },
  },
  {
    kind: "app.router",
    why: "`app.router` is the router, as in Express 5; in Express 4 reading it throws",
    tests: { 4: ["app.router should throw with notice"] },
  },
  {
    kind: "errors of sockets",
    why: "the callback of `res.sendfile` gets no error with which a handler destroyed `req.socket` before",
    tests: { 4: ["res .sendfile(path, fn) should invoke the callback on socket error"] },
  },
  {
    kind: "files on Deno",
    why:
      "Deno sends files of up to 1 MiB itself and [does not report](express-differences.md) whether they arrived, so the callback of `res.sendFile` gets no error",
    on: ["Deno"],
    tests: {
      4: [
        "res .sendFile(path, fn) should invoke the callback when client aborts",
        "res .sendfile(path, fn) should invoke the callback when client aborts",
      ],
      5: ["res .sendFile(path, fn) should invoke the callback when client aborts"],
    },
  },
];
