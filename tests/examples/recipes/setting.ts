/** Settings shared by the test and the program it runs. */
import process from "node:process";
import type { JWK } from "jose";

/** Passed to the program as JSON, in the variable `RECIPES`. */
export interface Setting {
  /** Two private keys, the older one first. */
  readonly keys: readonly [JWK, JWK];
  /** Origin of the server behind the proxy, which also receives webhooks. */
  readonly behind: string;
}

/** Token issuer and audience. */
export const ISSUER = { issuer: "https://login.test/", audience: "https://api.test/" };

/** The origin whose pages may send requests. */
export const PAGE = "https://app.test";

/** Origin of the accounts, as browsers see it. */
export const LOGIN = "https://login.test";

/** This process's settings. */
export function readSetting(): Setting {
  return JSON.parse(process.env["RECIPES"]!);
}
