/** Runs the same program on Sluice and on real Express, over real sockets. */
import { varyOf } from "./page_vary.ts";
import express from "express";
import sluice from "@sluice/sluice";

// deno-lint-ignore no-explicit-any -- two libraries with one API and two sets of types
export type Any = any;

/** A response as a client sees it. */
export interface Seen {
  readonly status: number;
  /** The requested headers. */
  readonly headers: Record<string, string | null>;
  /** Body as a string. */
  readonly body: string;
}

/** A request to both frameworks. */
export interface Ask {
  /** Path and query. */
  readonly path: string;
  /** Method, headers and body. */
  readonly init?: RequestInit;
}

const HEADERS = ["content-type", "location", "allow", "vary", "link", "cache-control", "content-range", "set-cookie"];

/** Sends requests to both frameworks and returns the responses from each. */
export function askBoth(build: (app: Any, lib: Any) => void, asks: readonly Ask[]): Promise<[Seen[], Seen[]]> {
  return serveBoth(build, (origin) => seeAll(origin, asks));
}

/**
 * Serves the same program with both frameworks.
 *
 * @param build Builds it on an application from either library
 * @param visit Sends requests to one framework, at the given origin
 * @returns The results of `visit` for Sluice and for Express
 */
export async function serveBoth<T>(
  build: (app: Any, lib: Any) => void,
  visit: (origin: string) => Promise<T>,
): Promise<[T, T]> {
  const ours = sluice();
  // Express's own tags, for comparison
  ours.set("env", "test").set("etag", "sha1");
  build(ours, sluice);
  const theirs = express();
  theirs.set("env", "test");
  build(theirs, express);
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ours.fetch);
  const node = await new Promise<Any>((resolve) => {
    const listening: Any = theirs.listen(0, "127.0.0.1", () => resolve(listening));
  });
  try {
    return [
      await visit(`http://127.0.0.1:${server.addr.port}`),
      await visit(`http://127.0.0.1:${node.address().port}`),
    ];
  } finally {
    await server.shutdown();
    await new Promise((resolve) => {
      node.close(resolve);
      node.closeAllConnections();
    });
  }
}

async function seeAll(origin: string, asks: readonly Ask[]): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const { path, init } of asks) {
    const response = await fetch(`${origin}${path}`, { redirect: "manual", ...init });
    const headers = Object.fromEntries(HEADERS.map((name) => [name, response.headers.get(name)]));
    headers["vary"] = varyOf(headers["vary"], response.headers.get("content-security-policy"));
    seen.push({ status: response.status, headers, body: await response.text() });
  }
  return seen;
}
