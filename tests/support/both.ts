/** Runs the same program on Sluice and on real Express, over real sockets. */
import express from "express";
import sluice from "@sluice/sluice";

// deno-lint-ignore no-explicit-any -- two libraries with one API and two sets of types
export type Any = any;

/** What a client sees. */
export interface Seen {
  /** Status. */
  readonly status: number;
  /** The headers that were asked about. */
  readonly headers: Record<string, string | null>;
  /** Body as text. */
  readonly body: string;
}

/** A request to both. */
export interface Ask {
  /** Path and query. */
  readonly path: string;
  /** Method and headers and body. */
  readonly init?: RequestInit;
}

const HEADERS = ["content-type", "location", "allow", "vary", "link", "cache-control", "content-range", "set-cookie"];

/** Asks both and gives what each showed. */
export async function askBoth(build: (app: Any, lib: Any) => void, asks: readonly Ask[]): Promise<[Seen[], Seen[]]> {
  const ours = sluice();
  ours.set("env", "test");
  build(ours, sluice);
  const theirs = express();
  theirs.set("env", "test");
  build(theirs, express);
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ours.fetch);
  const node = await new Promise<Any>((resolve) => {
    const listening: Any = theirs.listen(0, "127.0.0.1", () => resolve(listening));
  });
  try {
    return [await seeAll(server.addr.port, asks), await seeAll(node.address().port, asks)];
  } finally {
    await server.shutdown();
    await new Promise((resolve) => {
      node.close(resolve);
      node.closeAllConnections();
    });
  }
}

async function seeAll(port: number, asks: readonly Ask[]): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const { path, init } of asks) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: "manual", ...init });
    const headers = Object.fromEntries(HEADERS.map((name) => [name, response.headers.get(name)]));
    seen.push({ status: response.status, headers, body: await response.text() });
  }
  return seen;
}
