/** The recipes, one under each path, as a program for every runtime. */
import sluice, { type FrameworkApp } from "@sluice/sluice";
import { createRemoteJWKSet } from "jose";
import { makeApp as makeAccounts } from "../../../examples/recipes/accounts.ts";
import { makeApp as makeNotes } from "../../../examples/recipes/authentication.ts";
import { makeApp as makeBackground } from "../../../examples/recipes/background.ts";
import { makeApp as makeCors } from "../../../examples/recipes/cors.ts";
import { makeApp as makeProxy } from "../../../examples/recipes/proxy.ts";
import { makeApp as makeHeaders } from "../../../examples/recipes/security_headers.ts";
import { makeApp as makeTokens } from "../../../examples/recipes/tokens.ts";
import { ISSUER, LOGIN, PAGE, readSetting } from "./setting.ts";

// with a regular import, Deno 2.9's bundler leaves it undefined
const { memoryAdapter } = await import("better-auth/adapters/memory");

export function buildProgram(): FrameworkApp {
  const { keys: [old, current], behind } = readSetting();
  const login = (name: string, password: string) =>
    Promise.resolve(name === "ann" && password === "correct" ? "user-1" : undefined);
  const app = sluice().set("env", "test");
  app.get("/", (_req, res) => res.send("home"));
  app.use("/tokens/before", makeTokens({ ...ISSUER, login, keys: [old] }));
  app.use("/tokens/published", makeTokens({ ...ISSUER, login, keys: [old, current] }));
  app.use("/tokens/rotated", makeTokens({ ...ISSUER, login, keys: [current, old] }));
  app.use("/tokens/after", makeTokens({ ...ISSUER, login, keys: [current] }));
  app.use("/authentication", makeNotes({ ...ISSUER, keys: createRemoteJWKSet(new URL("/keys", behind)) }));
  app.use("/headers", makeHeaders());
  app.use("/cors", makeCors([PAGE, "https://admin.test"]));
  app.use("/proxy/down", makeProxy("http://127.0.0.1:1").set("env", "production"));
  app.use("/proxy", makeProxy(behind));
  app.use("/background", backgroundOf(behind));
  app.use(
    "/accounts",
    makeAccounts({
      database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
      secret: "for tests, of more than 32 characters",
      // with the path where this program mounts it
      baseURL: `${LOGIN}/accounts/api/auth`,
    }),
  );
  return app;
}

/** The recipe and its reports. */
function backgroundOf(behind: string): FrameworkApp {
  const failures: string[] = [];
  const app = makeBackground({ url: `${behind}/orders`, pauseMs: 2 }).set("env", "test");
  app.on("error", (error, { phase }) => failures.push(`${phase}: ${error}`));
  return app.get("/failures", (_req, res) => res.json(failures));
}
