/** What the test and the program that it runs agree on. */
import process from "node:process";
import type { JWK } from "jose";

/** Passed to the program as JSON, in the variable `RECIPES`. */
export interface Setting {
  /** Two private keys, the older one first. */
  readonly keys: readonly [JWK, JWK];
  /** Origin of a server behind the proxy, which is also where webhooks go. */
  readonly behind: string;
}

/** Who issues the tokens, and for whom. */
export const ISSUER = { issuer: "https://login.test/", audience: "https://api.test/" };

/** Whose pages may ask. */
export const PAGE = "https://app.test";

/** Where the accounts are, as browsers would see it. */
export const LOGIN = "https://login.test";

/** The setting of this process. */
export function readSetting(): Setting {
  return JSON.parse(process.env["RECIPES"]!);
}
