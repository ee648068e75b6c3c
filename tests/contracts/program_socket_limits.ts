/** Routes with limited connections, and routes that check a handshake's origin. */
import sluice, { type FrameworkApp, type WebSocketConnection } from "@sluice/sluice";

/** Records a connection event; cases poll for it. */
type Note = (ws: WebSocketConnection, what: unknown) => void;

/** Maximum total bytes of messages with waiting handlers, on `/socket/limits/waits`. */
export const WAITING_BYTES: number = 1024 * 1024;

/** Waiting handlers, by the name in `?flag=`; `null` once they are done waiting. */
const waiting = new Map<string, (() => void)[] | null>();

function released(flag: string): Promise<void> {
  const others = waiting.get(flag);
  if (others === null) return Promise.resolve();
  return new Promise((resolve) => waiting.set(flag, [...others ?? [], resolve]));
}

function release(flag: string): void {
  waiting.get(flag)?.forEach((resolve) => resolve());
  waiting.set(flag, null);
}

/** Adds the routes with limits. */
export function socketLimitRoutes(app: FrameworkApp, note: Note): void {
  const close = (ws: WebSocketConnection, code: number, reason: string): void => note(ws, [code, reason]);
  const error = (ws: WebSocketConnection, error: unknown): void => note(ws, String(error));
  const message = (ws: WebSocketConnection, data: string | Uint8Array): void => ws.send(String(data.length));
  app.ws("/socket/limits/default", { message, close, error });
  app.ws("/socket/limits/bytes", { maxMessageBytes: 1000, message, close, error });
  app.ws("/socket/limits/slow", {
    maxBufferedBytes: 4 * 1024 * 1024,
    open(ws) {
      ws.subscribe(String(ws.data.req.query["flag"]));
      ws.send("following");
    },
    close,
    error,
  });
  app.ws("/socket/limits/stalled", {
    maxBufferedBytes: 4 * 1024 * 1024,
    pingTimeoutMs: 400,
    open(ws) {
      while (ws.readyState === 1) ws.send(new Uint8Array(1024 * 1024));
    },
    close,
    error,
  });
  let running = 0;
  app.ws("/socket/limits/waits", {
    maxBufferedBytes: WAITING_BYTES,
    async message(ws, data) {
      note(ws, ++running);
      await released(String(ws.data.req.query["flag"]));
      running--;
      ws.send(String(data[0]));
    },
    close,
    error,
  });
  app.post("/socket-release/:flag", (req, res) => {
    release(req.params.flag);
    res.send("released");
  });
}

/** Adds the routes that check `Origin`. */
export function socketOriginRoutes(app: FrameworkApp): void {
  const open = (ws: WebSocketConnection): void => ws.send("open");
  app.ws("/socket/origins/default", { open });
  app.ws("/socket/origins/none", { origins: [], open });
  app.ws("/socket/origins/list", { origins: ["https://friend.example", "chrome-extension://abc"], open });
  app.ws("/socket/origins/any", { origins: "any", open });
  app.ws("/socket/origins/function", { origins: (origin, req) => origin === req.query["origin"], open });
  app.ws("/socket/origins/promise", { origins: (() => Promise.resolve(true)) as never, open });
  const behind = sluice().set("trust proxy", 1).set("env", "test");
  behind.ws("/", { open });
  app.use("/socket/origins/behind-proxy", behind);
}
