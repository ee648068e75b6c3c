/** The streaming part of the program: bodies sent and read in chunks, aborted bodies, and work after the response. */
import type { FrameworkApp, FrameworkRequest } from "@sluice/sluice";

/**
 * Routes that stream, or continue after their response. Requests communicate through flags, which are polled: runtimes
 * may isolate requests.
 */
export function streamRoutes(app: FrameworkApp): void {
  const flags = new Map<string, number>();
  const raise = (name: string, by = 1) => flags.set(name, (flags.get(name) ?? 0) + by);
  app.post("/flags/:name", (req, res) => {
    raise(req.params.name);
    res.json(flags.get(req.params.name));
  });
  app.get("/flags/:name", (req, res) => res.json(flags.get(req.params.name) ?? 0));

  app.get("/stream/written", async (req, res) => {
    res.type("text").write("first ");
    await raised(flags, String(req.query["flag"]));
    res.write("second ");
    res.end("last");
  });
  app.get("/stream/web", (req) => {
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(encoder.encode("first "));
        await raised(flags, String(req.query["flag"]));
        controller.enqueue(encoder.encode("last"));
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/plain" } });
  });
  app.get("/stream/endless", (req, res) => {
    const ticking = setInterval(() => res.write("tick"), 5);
    res.on("close", () => {
      clearInterval(ticking);
      raise(`${req.query["flag"]}-closed`);
    });
    res.flushHeaders();
  });
  app.get("/stream/quiet", async (req, res) => {
    res.flushHeaders();
    await raised(flags, String(req.query["flag"]));
    res.end("at last");
  });
  app.get("/stream/quiet-web", (req) => {
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        await raised(flags, String(req.query["flag"]));
        controller.enqueue(new TextEncoder().encode("at last"));
        controller.close();
      },
    });
    return new Response(body);
  });
  app.get("/stream/large", (_req, res) => {
    const piece = new Uint8Array(64 * 1024).fill(97);
    for (let i = 0; i < 64; i++) res.write(piece);
    res.end();
  });

  app.get("/stream/failing/:how", async ({ params: { how } }, res) => {
    const body = async function* () {
      yield "written";
      await Promise.resolve();
      throw new Error(how);
    };
    if (how === "sent") return void res.send(body());
    if (how.startsWith("late")) await Promise.resolve();
    res.write("written");
    if (how === "soon-thrown") await Promise.resolve();
    if (how.endsWith("thrown")) throw new Error(how);
    res.destroy();
  });

  app.get("/stream/sized", (_req, res) => {
    res.set("Content-Length", "6").write("abc");
    res.end("def");
  });

  // two readers: Node's events and the web stream
  app.post("/upload/events", (req, res) => {
    let length = 0;
    req.on("data", (chunk: Uint8Array) => {
      length += chunk.length;
      raise(String(req.query["flag"]), chunk.length);
    });
    req.on("end", () => res.json({ length }));
  });
  app.post("/upload/left", (req, res) => {
    const flag = String(req.query["flag"]);
    req.on("data", (chunk: Uint8Array) => raise(flag, chunk.length));
    let isClosed = false;
    req.on("close", () => isClosed = true);
    req.on("error", (error: Error & { code?: string }) => {
      raise(`${flag}-${error.message}-${error.code}-${isClosed ? "closed" : "open"}`);
    });
    req.on("aborted", () => raise(`${flag}-aborted-${req.complete ? "complete" : "incomplete"}`));
    const before = String(req.destroyed);
    res.on("close", () => raise(`${flag}-closed-${before}-${req.destroyed}`));
  });
  app.post("/upload/web", async (req, res) => {
    let length = 0;
    for await (const chunk of req.request.body as ReadableStream<Uint8Array>) {
      length += chunk.length;
      raise(String(req.query["flag"]), chunk.length);
    }
    res.json({ length });
  });
  app.post("/upload/ignored", (_req, res) => res.send("not read"));

  app.all("/ends/:how", async ({ params: { how } }, res) => {
    const { req } = res;
    let seen = "";
    req.on("end", () => seen += `end ${req.readable} ${req.readableEnded} `);
    req.on("close", () => raise(`${req.query["flag"]}-${seen}close`));
    if (how === "data") req.on("data", () => {});
    if (how === "soon") await Promise.resolve();
    if (how !== "unread" && how !== "answered") req.resume();
    if (how === "late") await new Promise((resolve) => setTimeout(resolve, 20));
    res.send("answered");
    if (how === "answered") req.resume();
  });

  // a logger reads its data once the request is over
  const tell = (req: FrameworkRequest) => {
    const { flag } = req.query;
    raise(`${flag}-${req.get("x-told")}-${req.headers["x-told"]}`);
    if (req.ip !== undefined) raise(`${flag}-${req.ip}`);
  };
  app.post("/afterwards/listener", (req, res) => {
    res.on("finish", () => tell(req));
    res.send("answered");
  });
  app.post("/afterwards/late-listener", (req, res) => {
    res.send("answered");
    res.on("close", () => tell(req));
  });
  app.post("/afterwards/promise", (req, res) => {
    res.send("answered");
    const rest = new Promise((resolve) => setTimeout(resolve, 0)).then(() => tell(req));
    req.waitUntil(rest);
    return rest;
  });
  app.post("/afterwards/middleware", async (_req, _res, next) => {
    await Promise.resolve();
    next();
  }, (req, res) => {
    const rest = Promise.resolve().then(() => res.send("answered"))
      .then(() => new Promise((resolve) => setTimeout(resolve, 0))).then(() => tell(req));
    req.waitUntil(rest);
    return rest;
  });

  app.get("/leave/waiting", (req, res) => {
    const flag = String(req.query["flag"]);
    raise(`${flag}-arrived`);
    // workerd ends a request that has nothing pending
    const waiting = setInterval(() => {}, 1000);
    req.signal.addEventListener("abort", () => {
      clearInterval(waiting);
      raise(`${flag}-aborted`);
    });
    res.on("close", () => raise(`${flag}-closed`));
    req.socket.on("close", () => raise(`${flag}-disconnected`));
    // never responds
    return new Promise<void>(() => {});
  });
  app.get("/leave/streaming", (req) => {
    const flag = String(req.query["flag"]);
    const piece = new Uint8Array(16 * 1024);
    return new Response(
      new ReadableStream({
        pull(controller) {
          controller.enqueue(piece);
          return new Promise((resolve) => setTimeout(resolve, 1));
        },
        cancel: () => void raise(`${flag}-cancelled`),
      }),
    );
  });
}

async function raised(flags: Map<string, number>, name: string): Promise<void> {
  while (!flags.has(name)) await new Promise((resolve) => setTimeout(resolve, 2));
}
