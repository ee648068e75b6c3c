/** The part of the program with functions that find the request without receiving it. */
import { context, currentRequest, requestFields } from "@sluice/middleware/context";
import { log, type LogRecord } from "@sluice/middleware/log";
import { requestId, type RequestIdExtras, traceHeaders } from "@sluice/middleware/request-id";
import sluice, {
  type ErrorHandler,
  type FrameworkApp,
  type FrameworkRequest,
  type Handler,
  Router,
} from "@sluice/sluice";

/** A function that does not receive the request. */
const named = (): unknown => requestFields().id ?? null;

function pause(ms = 2): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The middleware; if it cannot be created, a no-op and the reason. */
function supported(): { entered: Handler; refusal: string | null } {
  try {
    return { entered: context() as Handler, refusal: null };
  } catch (error) {
    return { entered: (_req, _res, next) => next(), refusal: (error as Error).message };
  }
}

/** Routes that look up their request from various places. */
export function contextRoutes(app: FrameworkApp): void {
  const { entered, refusal } = supported();
  const isNone = currentRequest() === undefined && Object.keys(traceHeaders()).length === 0;
  const records: LogRecord[] = [];
  const logger = log({ stream: (_line, record) => void records.push(record) });
  const ended = new Map<unknown, unknown>();
  const routes = Router();
  routes.use(entered, logger, requestId({ trust: true }));

  routes.get("/support", (_req, res) => res.json({ refusal, isNone }));
  routes.post("/chain", sluice.json(), async (req, res) => {
    const seen = [named()];
    const note = () => void seen.push(named());
    await Promise.resolve().then(note);
    await pause().then(note);
    await new Promise<void>((resolve) => queueMicrotask(() => resolve(note())));
    for await (const _chunk of new Blob(["a"]).stream()) note();
    const derived = currentRequest() as FrameworkRequest;
    logger.info({ step: req.body.step }, "chained");
    logger.error(new Error("planted"));
    const { traceId } = req as FrameworkRequest & RequestIdExtras;
    res.json({ seen, path: derived.originalUrl, isTraced: traceHeaders()["traceparent"]?.includes(traceId) });
  });
  routes.get("/lines/:id", (req, res) => res.json(records.filter(({ id }) => id === req.params.id)));
  routes.get("/generated", (_req, res) => {
    res.send((async function* () {
      for (let i = 0; i < 3; i++) {
        await pause();
        yield `${named()} `;
      }
    })());
  });
  routes.get("/ended", (req, res) => {
    const id = named();
    res.on("finish", () => ended.set(id, named()));
    setTimeout(() => res.json(req.query), 1);
  });
  routes.get("/ended/:id", (req, res) => res.json(ended.get(req.params.id) ?? null));
  routes.get("/fails", async () => {
    await pause();
    throw new Error("planted");
  });
  routes.use("/inner", sluice().set("env", "test").get("/", (_req, res) => pause().then(() => res.json([named()]))));
  routes.ws("/socket", { message: (ws) => pause().then(() => void ws.send(String(named()))) });
  const onError: ErrorHandler = (_error, _req, res, _next) => void res.json([named()]);
  routes.use(onError);
  app.use("/contexts", routes);
}
