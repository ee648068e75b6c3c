import type { RawRequest } from "./raw_client.ts";

// deno-lint-ignore no-explicit-any -- programs are plain JavaScript over two libraries
export type Any = any;

/** The runtimes that run the programs on Sluice, in the page's column order. */
export const RUNTIMES = ["Deno", "Node", "Bun"] as const;

/** A runtime that runs the programs on Sluice. */
export type Runtime = typeof RUNTIMES[number];

/** A program's tools, besides the application and the library. */
export interface Tools {
  /** Folder with the files and views that programs serve. */
  readonly files: string;
  /** Empty folder for this side alone. */
  readonly scratch: string;
  /** URL of a Redis server. */
  readonly redis: string;
  /** Name of this side, for keys that must not be shared. */
  readonly side: string;
  /** URL of a small HTTP server to proxy to. */
  readonly upstream: string;
  /** URL at which nothing listens. */
  readonly nobody: string;
  /** Runs a function when the program exits. */
  onClose(end: () => unknown): void;
}

/** A response as programs and assertions see it. */
export interface Answer {
  readonly status: number;
  /** Values by lowercase name; a list for `set-cookie`. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Body as a decompressed string. */
  readonly body: string;
}

/** Expected response: a full string, a pattern, `null` for an absent header, an object for JSON. */
export interface Sees {
  /** Status, 200 by default. */
  readonly status?: number;
  /** Headers by lowercase name; cookies are matched one by one. */
  readonly headers?: Readonly<Record<string, string | RegExp | null>>;
  readonly body?: string | RegExp | object;
}

/** A request to both sides. */
export interface Ask extends RawRequest {
  /** Cookie jar name; without it, no cookies are sent or kept. */
  readonly jar?: string;
  /** The response that a client must see on Sluice. */
  readonly sees?: Sees;
  /** Differences from Express, with reasons; exactly these parts must differ. */
  readonly differs?: Difference;
  /** Headers that are not compared because they depend on times or random values. */
  readonly ignore?: readonly string[];
}

/** A known difference. */
export interface Difference {
  /** Parts of the response: `status`, `body`, header names. */
  readonly parts: readonly string[];
  /** The reason, for users. */
  readonly why: string;
  /** Runtimes on which it differs; all runtimes by default. */
  readonly on?: readonly Runtime[];
}

/** A program that uses one package as its README says, and requests to it. */
export interface Program {
  /** The working feature, as a sentence. */
  readonly title: string;
  /** Packages that this program covers; by default the package the file is named after. */
  readonly packages?: readonly string[];
  /** Sets up the application. */
  default(app: Any, lib: Any, tools: Tools): unknown;
  /** Requests in order; a function builds one from that side's earlier responses. */
  readonly requests: readonly (Ask | ((responses: readonly Answer[]) => Ask))[];
  /** Random values and times, hidden before the comparison. */
  readonly masks?: readonly RegExp[];
  /** Flags that `deno run` needs for the package. */
  readonly flags?: readonly string[];
  /** A note for users. */
  readonly note?: string;
}
