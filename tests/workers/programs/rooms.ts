/** Rooms in Durable Objects: every way to register a connection, and the state it keeps. */
import sluice, { type FrameworkApp, Router, type WebSocketConnection } from "@sluice/sluice";
import { durableSockets, type DurableSocketsOptions, type DurableState } from "@sluice/sluice/workers";

/** The part of a Durable Object namespace that the program uses. */
interface Namespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

/** Records events in the object's storage, which hibernation does not affect. */
async function note(ctx: DurableState, what: string): Promise<void> {
  await ctx.storage.put("notes", [...await ctx.storage.get("notes") ?? [], what]);
}

/** Everything a connection can report about itself. */
function described(ws: WebSocketConnection, born: string): string {
  const { routePath, params, req, ...own } = ws.data;
  const { originalUrl, url, baseUrl, path, query, cookies, ip, protocol, env, app } = req;
  const request = { originalUrl, url, baseUrl, path, query, cookies, ip, protocol, name: env["NAME"] };
  const inside = { room: Reflect.get(req, "room"), params: req.params, mount: app.path(), short: req.get("x-short") };
  const seen = Object.fromEntries(Object.entries(own).map(([name, value]) => [name, shown(value)]));
  const topics = ["all", "odd"].filter((topic) => ws.isSubscribed(topic));
  return JSON.stringify({ born, routePath, params, request, inside, protocol: ws.protocol, own: seen, topics });
}

function shown(value: unknown): unknown {
  if (value instanceof Map) return ["Map", ...value];
  return value instanceof Date ? ["Date", value.getTime()] : value;
}

function buildRoom(ctx: DurableState): FrameworkApp {
  const app = sluice().set("env", "test");
  // identifies one lifetime of the object
  const born = crypto.randomUUID();
  ctx.storage.kv.put("lives", (ctx.storage.kv.get("lives") ?? 0) + 1);
  app.setAppContext({ setApp: (req) => Object.assign(req, { room: ctx.id.toString().length }) });
  app.get("/:room/born", (_req, res) => res.send(born));
  app.get("/:room/lives", (_req, res) => res.json(ctx.storage.kv.get("lives")));
  app.get("/:room/notes", async (_req, res) => res.json(await ctx.storage.get("notes") ?? []));
  app.get("/:room/publish/:text", (req, res) => res.json(app.connections.publish("all", req.params.text)));
  const present: WebSocketConnection[] = [];
  app.get("/:room/gather/:topic", (req, res) => {
    for (const ws of present) ws.subscribe(req.params.topic);
    res.json(present.length);
  });
  app.get("/:room/size", (_req, res) => res.json(app.connections.size));

  app.ws("/:room/talk/:name", (_req, res, next) => {
    res.cookie("a", "1").cookie("b", "2").set("x-room", "yes");
    next();
  }, {
    protocols: ["v2"],
    async open(ws) {
      await note(ctx, `open ${ws.data.params["name"]}`);
      Object.assign(ws.data, { count: 0, since: new Date(7), seen: new Map([["a", { deep: [1] }]]) });
      ws.subscribe("all");
      present.push(ws);
      ws.send("open");
    },
    async message(ws, data) {
      if (typeof data !== "string") return ws.send(data);
      const [verb, text = ""] = data.split(" ");
      if (verb === "describe") return ws.send(described(ws, born));
      if (verb === "count") {
        // after a wait, as for a database
        await Promise.resolve();
        ws.data["count"]++;
        return ws.send(`${ws.data["count"]}`);
      }
      if (verb === "slow") {
        await new Promise((resolve) => setTimeout(resolve, 300));
        ws.data["count"] += 10;
        return ws.send(`${ws.data["count"]}`);
      }
      if (verb === "follow") ws.subscribe(text);
      if (verb === "leave") ws.unsubscribe(text);
      if (verb === "tell") return ws.send(`${ws.publish("all", text)}`);
      if (verb === "close") return ws.close(4001, "as asked");
      if (verb === "throw") throw new Error("on purpose");
      if (verb === "large") ws.data["large"] = "x".repeat(Number(text));
      if (verb === "function") ws.data["callback"] = () => {};
      if (verb === "symbol") Object.assign(ws.data, { [Symbol("kept out")]: () => {} });
      ws.send("done");
    },
    close: (ws, code, reason) => note(ctx, `close ${ws.data.params["name"]} ${code} ${reason}`),
  });
  app.ws("/:room/careful", {
    message(ws, data) {
      if (data === "function") ws.data["callback"] = () => {};
      if (data === "forget") delete ws.data["callback"];
      ws.send("done");
    },
    error: (ws, error) => {
      delete ws.data["callback"];
      ws.send(`${(error as Error).name}: ${(error as Error).message}`);
    },
  });
  // three routes with one path, distinguished by where they are registered
  const response = (name: string) => ({
    message: (ws: WebSocketConnection) => ws.send(`${name} ${described(ws, born)}`),
  });
  const router = Router({ mergeParams: true });
  router.ws("/same/:id", response("router"));
  app.use("/:room/router", router);
  const inner = sluice().set("env", "test");
  inner.ws("/same/:id", response("app"));
  app.use("/in/app", inner);
  app.group("/:room/group", (group) => group.ws("/same/:id", response("group")));

  return app;
}

/** A room whose class extends another class. */
export const roomOf = (options: DurableSocketsOptions & { base?: never } = {}) => durableSockets(buildRoom, options);

/** A room with the defaults. */
export class Room extends durableSockets(buildRoom) {}

/** A room that answers pings while asleep and keeps one header. */
export class QuietRoom extends durableSockets(buildRoom, {
  autoResponse: { request: "ping", response: "pong" },
  headers: ["Cookie"],
}) {}

const shared = sluice().set("env", "test");
shared.get("/*path", (_req, res) => res.send("shared"));
/** Objects that would share an application, and with it their connections. */
export class SharedRoom extends durableSockets(() => shared) {}

const front = sluice().set("env", "test");
front.use((_req, res, next) => (res.set("x-front", "1"), next()));
front.get("/*path", (req) => {
  const [kind = "", ...rest] = req.originalUrl.slice(1).split("/");
  const namespace = req.env[kind] as Namespace;
  const name = rest[0]!.split("?")[0]!;
  return namespace.get(namespace.idFromName(name)).fetch(
    new Request(new URL(`/${rest.join("/")}`, req.request.url), req.request),
  );
});
export default front;
