import type { RawRequest } from "./raw_client.ts";

// deno-lint-ignore no-explicit-any -- programs are plain JavaScript over two libraries
export type Any = any;

/** Where Sluice runs programs, in the order of the page's columns. */
export const RUNTIMES = ["Deno", "Node", "Bun"] as const;

/** One of them. */
export type Runtime = typeof RUNTIMES[number];

/** What a program gets beside the application and the library. */
export interface Tools {
  /** Folder of the files and views that programs serve. */
  readonly files: string;
  /** Empty folder of this side alone. */
  readonly scratch: string;
  /** URL of a Redis server. */
  readonly redis: string;
  /** Name of this side, for keys that must not be shared. */
  readonly side: string;
  /** URL of a small HTTP server to proxy to. */
  readonly upstream: string;
  /** URL where nobody listens. */
  readonly nobody: string;
  /** Runs something when the program is over. */
  onClose(end: () => unknown): void;
}

/** An answer as programs and assertions look at it. */
export interface Answer {
  /** Status. */
  readonly status: number;
  /** Values by lower-case name; a list for `set-cookie`. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Body as text, decompressed. */
  readonly body: string;
}

/** What a client sees: text in full, a pattern, `null` for an absent header, an object for JSON. */
export interface Sees {
  /** Status, 200 by default. */
  readonly status?: number;
  /** Headers by lower-case name; cookies are matched one by one. */
  readonly headers?: Readonly<Record<string, string | RegExp | null>>;
  /** Body. */
  readonly body?: string | RegExp | object;
}

/** A request to both sides. */
export interface Ask extends RawRequest {
  /** Whose cookies are sent and kept; without it no cookies. */
  readonly jar?: string;
  /** What a client sees on Sluice. */
  readonly sees?: Sees;
  /** What differs from Express, and why; then exactly that must. */
  readonly differs?: Difference;
  /** Headers that are not compared, because times or random values decide them. */
  readonly ignore?: readonly string[];
}

/** A difference that is known. */
export interface Difference {
  /** Parts of the answer: `status`, `body`, names of headers. */
  readonly parts: readonly string[];
  /** The reason, for users. */
  readonly why: string;
  /** Where it differs; everywhere, unless it is said. */
  readonly on?: readonly Runtime[];
}

/** A program: one package used as its README says, and requests to it. */
export interface Program {
  /** Says what works, as a sentence. */
  readonly title: string;
  /** Packages this program stands for; the one named like the file by default. */
  readonly packages?: readonly string[];
  /** Sets the application up. */
  default(app: Any, lib: Any, tools: Tools): unknown;
  /** Requests in order; a function makes one from that side's earlier answers. */
  readonly requests: readonly (Ask | ((answers: readonly Answer[]) => Ask))[];
  /** Random values and times, hidden before comparing. */
  readonly masks?: readonly RegExp[];
  /** Flags that `deno run` needs for the package. */
  readonly flags?: readonly string[];
  /** What a user should know. */
  readonly note?: string;
}
