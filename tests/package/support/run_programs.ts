/**
 * Runs the documents' programs one after the other, unchanged except for the ports they listen on. A program ends when
 * its top level does; then everything it started is closed. Fails if a program fails.
 */
import { pathToFileURL } from "node:url";
import { application, type FrameworkApp, type Server } from "@sluice/sluice";

const LIMIT_MS = 20_000;
const { listen } = application;
const { serve } = Deno;
let close: (() => unknown)[] = [];

application.listen = function (this: FrameworkApp, options: unknown, ...rest: never[]): Server {
  close.push(() => this.close({ timeoutMs: 0 }));
  const more = typeof options === "object" ? options : {};
  return Reflect.apply(listen, this, [{ ...more, port: 0, hostname: "127.0.0.1" }, ...rest.slice(-1)]);
} as typeof listen;
Deno.serve = ((...given: unknown[]) => {
  const options = given.find((one) => typeof one === "object") ?? {};
  const handler = given.find((one) => typeof one === "function");
  const server: Deno.HttpServer = Reflect.apply(serve, Deno, [{ ...options, port: 0 }, ...handler ? [handler] : []]);
  close.push(() => server.shutdown());
  return server;
}) as typeof serve;

for (const file of Deno.args) {
  close = [];
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`is not over after ${LIMIT_MS} ms`)), LIMIT_MS);
  try {
    await Promise.race([import(pathToFileURL(file).href), late]);
  } catch (error) {
    console.log(`${file} fails: ${error instanceof Error ? error.stack : error}`);
    Deno.exit(1);
  } finally {
    clearTimeout(timer);
  }
  for (const one of close) await one();
}
console.log(`${Deno.args.length} programs have run`);
// timers and connections from programs that run forever
Deno.exit(0);
