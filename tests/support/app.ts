import sluice, { type FrameworkApp } from "@sluice/sluice";

/** An application that does not log errors. */
export function quietApp(): FrameworkApp {
  return sluice().set("env", "test");
}

/** Sends an application a request in process. */
export function ask(app: FrameworkApp, path: string, init?: RequestInit, info?: unknown): Promise<Response> {
  return app.handle(new Request(`http://localhost${path}`, init), info);
}

/** Sends an application a request in process and reads the body. */
export async function askText(app: FrameworkApp, path: string, init?: RequestInit, info?: unknown): Promise<string> {
  return await (await ask(app, path, init, info)).text();
}

/** Serves an application on a free local port while a test uses it. */
export async function serving(app: FrameworkApp, test: (origin: string) => Promise<void>): Promise<void> {
  const server = app.listen({ port: 0, hostname: "127.0.0.1" });
  try {
    await test(`http://127.0.0.1:${server.port}`);
  } finally {
    await app.close({ timeoutMs: 2000 });
  }
}
