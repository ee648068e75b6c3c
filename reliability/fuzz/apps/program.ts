/** Serves random applications on Sluice, or on a major of `@sluice/express`: with `app.listen`, and with one of the runtime's servers. */
import process from "node:process";
import sluice from "@sluice/sluice";
import type { Any } from "../../../tests/support/sluice_and_express.ts";
import { withExpressTags } from "./build_program.ts";
import { servePrograms, type Ways } from "./serve_programs.ts";

const { Deno, Bun } = globalThis as Any;
const HOST = { port: 0, hostname: "127.0.0.1" };

async function byListen(app: Any): Promise<{ port: number; close(): unknown }> {
  const server = await new Promise<Any>((resolve) => {
    const listening = app.listen(HOST, () => resolve(listening));
  });
  return { port: server.port, close: () => app.close() };
}

async function own(): Promise<Ways> {
  if (Deno !== undefined) {
    return {
      async "Deno.serve(app.fetch)"(app) {
        const server = Deno.serve({ ...HOST, onListen() {} }, app.fetch);
        return await { port: server.addr.port, close: () => server.shutdown() };
      },
    };
  }
  if (Bun !== undefined) {
    return {
      async "Bun.serve(app)"(app) {
        const server = Bun.serve({ ...HOST, fetch: app.fetch });
        return await { port: server.port, close: () => server.stop(true) };
      },
    };
  }
  const { serveByNode } = await import("./serve_by_node.ts");
  return { "http.createServer(app)": serveByNode };
}

/** Applications that forget their mount path, a fault that a test must find. */
function forgetful(lib: Any): Any {
  return Object.assign(() => {
    const app = lib();
    const use = app.use.bind(app);
    app.use = (path: Any, ...rest: Any[]) => use(typeof path === "string" ? "/" : path, ...rest);
    return app;
  }, lib);
}

/** Sluice, or a major of `@sluice/express`. */
async function library(): Promise<Any> {
  if (process.env["FRAMEWORK"] === "Express 4") return (await import("@sluice/express/4")).default;
  if (process.env["FRAMEWORK"] === "Express 5") return (await import("@sluice/express")).default;
  return withExpressTags(sluice);
}

const lib = await library();
const isFaulty = process.env["PLANTED_FAULT"] === "prefix";
await servePrograms(isFaulty ? forgetful(lib) : lib, { "app.listen": byListen, ...await own() });
