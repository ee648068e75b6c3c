/** The part of the program with handlers that continue once their clients have disconnected. */
import type { FrameworkApp, FrameworkRequest, FrameworkResponse } from "@sluice/sluice";
import sluice from "@sluice/sluice";

/** Everything a handler can read from its request and do with its response. */
const WAYS: Readonly<Record<string, (req: FrameworkRequest, res: FrameworkResponse) => unknown>> = {
  get: (req) => typeof req.get("host"),
  headers: (req) => typeof req.headers["host"],
  rawHeaders: (req) => req.rawHeaders.length > 0,
  cookies: (req) => req.cookies,
  type: (req) => req.is("json"),
  accepts: (req) => req.accepts("html", "json"),
  fresh: (req) => req.fresh,
  url: (req) => [req.method, req.url, req.path, req.params, req.query["a"]],
  body: (req) => req.body ?? null,
  protocol: (req) => [req.protocol, req.secure, req.xhr],
  socket: (req) => [typeof req.socket.encrypted, req.socket.remoteAddress === req.ip, req.ips],
  answer: (_req, res) => {
    res.status(201).set("X-Made", "yes").cookie("a", "b").vary("Accept").json({ charged: true });
    return res.statusCode;
  },
  write: (_req, res) => res.write("nobody reads this"),
};

/** Tries all operations. */
function tried(req: FrameworkRequest, res: FrameworkResponse): Record<string, unknown> {
  const seen: Record<string, unknown> = {};
  for (const [name, way] of Object.entries(WAYS)) {
    try {
      seen[name] = way(req, res);
    } catch (error) {
      seen[name] = String(error);
    }
  }
  return seen;
}

/** Routes with clients that disconnect; `/departed-notes/:flag` returns their handlers' notes. */
export function departedRoutes(app: FrameworkApp): void {
  const notes = new Map<string, unknown>();
  const left = new Map<string, () => void>();
  app.get("/departed-notes/:flag", (req, res) => res.json(notes.get(req.params.flag) ?? null));
  app.post("/departed-left/:flag", (req, res) => {
    left.get(req.params.flag)?.();
    res.end();
  });

  const goOn = async (req: FrameworkRequest, res: FrameworkResponse, gone: Promise<unknown>): Promise<void> => {
    // workerd ends a request that has nothing pending
    const waiting = setInterval(() => {}, 1000);
    await gone;
    clearInterval(waiting);
    notes.set(String(req.query["flag"]), { ...tried(req, res), ip: req.ip ?? null });
  };
  const arrived = (req: FrameworkRequest): void => void notes.set(String(req.query["flag"]), "arrived");

  const told = sluice().set("env", "test");
  told.get("/:how", (req, res) => {
    const gone = new Promise((resolve) => res.on("close", resolve));
    arrived(req);
    const rest = goOn(req, res, gone);
    req.waitUntil(rest);
    return rest;
  });
  app.use("/departed/told", told);

  app.get("/departed/untold/:how", (req, res) => {
    const gone = new Promise<void>((resolve) => left.set(String(req.query["flag"]), resolve));
    arrived(req);
    const rest = goOn(req, res, gone);
    req.waitUntil(rest);
    return rest;
  });

  app.post("/departed/body/:reader", async (req, res) => {
    const flag = String(req.query["flag"]);
    const events: string[] = [];
    req.on("aborted", () => events.push("aborted"));
    res.on("finish", () => events.push("finish"));
    const closed = new Promise<void>((resolve) => res.on("close", resolve));
    arrived(req);
    const failure = await read(req).then(() => null, (error) => error);
    await closed;
    notes.set(flag, [failure?.code ?? String(failure), failure?.status ?? null, ...events]);
  });
  const read = async (req: FrameworkRequest<{ reader: string }>): Promise<void> => {
    const { reader } = req.params;
    if (reader === "iterator") { for await (const _chunk of req); }
    else if (reader === "json") await req.json();
    else if (reader === "bytes") await req.arrayBuffer();
    else await req.text();
  };
}
