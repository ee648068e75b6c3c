/** The part of the program that fails where no handler notices. */
import sluice, { type FrameworkApp, type FrameworkResponse, type Next } from "@sluice/sluice";
import type { Any } from "@sluice/sluice/types";

/** Reported errors, by the name in `?flag=`; cases poll for them. */
const notes = new Map<string, string[]>();

/** Content types for streams that fail; `""` means no content type. */
const TYPES: Readonly<Record<string, string>> = { none: "", text: "text/plain", bytes: "application/octet-stream" };

/** Routes that fail, and a route that returns the reported errors. */
export function errorRoutes(app: FrameworkApp): void {
  app.get("/error-notes/:flag", (req, res) => res.json(notes.get(req.params.flag) ?? []));
  const failing = sluice();
  failing.on("error", (error, { req, phase }) => {
    const flag = String(req?.query["flag"]);
    notes.set(flag, [...notes.get(flag) ?? [], `${phase}: ${error.message} in ${req?.originalUrl.split("?")[0]}`]);
  });
  bodies(failing);
  handlers(failing);
  listeners(failing);
  failing.ws("/socket", {
    message() {
      throw new Error("the socket's handler");
    },
  });
  app.use("/unseen", failing);
}

function bodies(app: FrameworkApp): void {
  app.get("/returned/:type", (req) => {
    const type = TYPES[req.params.type]!;
    return new Response(failingStream(), { headers: type === "" ? {} : { "content-type": type } });
  });
  app.get("/sent", (_req, res) => void res.send(failingStream()));
  app.get("/iterated", (_req, res) => {
    res.send((async function* () {
      yield "first";
      await sending();
      throw new Error("the stream");
    })());
  });
  app.get("/piped", (_req, res) => new Source().pipe(res));
}

function handlers(app: FrameworkApp): void {
  app.get("/background", (req, res) => {
    req.waitUntil(Promise.reject(new Error("the work")));
    res.send("sent");
  });
  app.get("/late", async (_req, res) => {
    res.send("sent");
    await Promise.resolve();
    throw new Error("after the answer");
  });
  app.get("/unhandled", () => {
    throw new Error("nobody's");
  });
  app.get("/handled", () => {
    throw new Error("handled");
  }, ((_error: Error, _req: Any, res: FrameworkResponse, _next: Next) => void res.send("handled")) as never);
}

function listeners(app: FrameworkApp): void {
  app.get("/finish", (_req, res) => {
    res.on("finish", () => {
      throw new Error("the listener");
    });
    res.send("sent");
  });
  app.get("/finish-later", (_req, res) => {
    res.on("finish", async () => {
      await Promise.resolve();
      throw new Error("the listener's promise");
    });
    res.send("sent");
  });
  app.get("/end", (_req, res) => {
    res.end("sent", () => {
      throw new Error("the callback");
    });
  });
}

function failingStream(): ReadableStream<Uint8Array> {
  let pulled = 0;
  return new ReadableStream({
    async pull(controller) {
      await sending();
      if (pulled++ > 0) throw new Error("the stream");
      controller.enqueue(new TextEncoder().encode("first"));
    },
  });
}

// a client may retry a request whose connection closes before the response begins
function sending(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}

/** As much of Node's readable stream as a pipe needs; some runtimes lack Node's. */
class Source {
  readonly #listeners = new Set<(error: Error) => void>();

  on(event: string, listener: (error: Error) => void): this {
    if (event === "error") this.#listeners.add(listener);
    return this;
  }

  off(_event: string, listener: (error: Error) => void): this {
    this.#listeners.delete(listener);
    return this;
  }

  listenerCount(_event: string): number {
    return this.#listeners.size;
  }

  pipe(res: FrameworkResponse): void {
    res.emit("pipe", this);
    res.write("first");
    void sending().then(() => {
      for (const listener of this.#listeners) listener(new Error("the source"));
    });
  }
}
