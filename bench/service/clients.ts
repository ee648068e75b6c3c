/** Kinds of clients, by the headers they send beyond what the request itself needs. */
import type { Random } from "../../advanced/src/testing/seeded_random.ts";

/** A kind of client. */
export interface Client {
  /** Name on the command line. */
  readonly name: string;
  /** Name in the tables. */
  readonly title: string;
  /** Headers for one request. */
  headers(random: Random): Record<string, string>;
}

/** The kinds. */
export const CLIENTS: readonly Client[] = [
  { name: "bare", title: "bare headers", headers: () => ({}) },
  {
    name: "browser",
    title: "a browser's headers",
    headers: (random) => ({
      "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
      "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
      "Accept-Language": "en-GB,en;q=0.8,de;q=0.5",
      "Accept-Encoding": "gzip, deflate, br, zstd",
      "Referer": "https://shop.example/catalogue?page=2",
      "Connection": "keep-alive",
      "Cookie": `session=${hex(random)}${hex(random)}; theme=dark; consent=necessary`,
      "Sec-Fetch-Mode": "navigate",
      "Sec-Fetch-Site": "same-origin",
    }),
  },
];

function hex(random: Random): string {
  return random(2 ** 32).toString(16).padStart(8, "0");
}
