/** An MCP server over Streamable HTTP, whose sessions end and whose clients are limited. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport as Transport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import sluice, { type FrameworkApp, rateLimit } from "@sluice/sluice";
import { z } from "zod";

/** What one session can do: each has a server of its own. */
function createServer(): McpServer {
  const server = new McpServer({ name: "weather", version: "1.0.0" });
  const inputSchema = { city: z.string().max(100) };
  server.registerTool(
    "forecast",
    { description: "The weather of tomorrow", inputSchema },
    ({ city }: { city: string }) => ({
      content: [{ type: "text", text: `Sunny in ${city}` }],
    }),
  );
  return server;
}

interface Session {
  readonly transport: Transport;
  /** Responses that are being sent. */
  open: number;
  /** When the last one ended, in ms. */
  usedAt: number;
}

interface McpOptions {
  /** Whose pages may call it. Programs have no origin, and may. */
  origins?: readonly string[];
  maxSessions?: number;
  /** Sessions end when nothing was asked for so long. */
  idleMs?: number;
  /** How often a comment is sent on an idle stream, which also finds clients that have disconnected. */
  keepAliveMs?: number;
  clock?: () => number;
}

export function makeApp(options: McpOptions = {}): FrameworkApp {
  const { origins = [], maxSessions = 1000, idleMs = 30 * 60_000, keepAliveMs = 15_000, clock = Date.now } = options;
  // the one that was used last is the last one
  const sessions = new Map<string, Session>();

  const use = (id: string, session: Session): void => {
    session.usedAt = clock();
    sessions.delete(id);
    sessions.set(id, session);
  };
  const endIdle = (): void => {
    for (const [id, session] of sessions) {
      if (session.usedAt + idleMs > clock()) return;
      if (session.open > 0) use(id, session);
      else void session.transport.close();
    }
  };
  const begin = async (): Promise<Session> => {
    if (sessions.size >= maxSessions) await sessions.values().next().value?.transport.close();
    const transport: Transport = new Transport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id: string) => use(id, session),
      keepAliveMs,
    });
    const session: Session = { transport, open: 0, usedAt: clock() };
    // after DELETE, too
    transport.onclose = () => void sessions.delete(transport.sessionId ?? "");
    await createServer().connect(transport);
    return session;
  };

  const app = sluice();
  app.use("/mcp", (req, res, next) => {
    const origin = req.get("origin");
    if (origin !== undefined && !origins.includes(origin)) return res.sendStatus(403);
    endIdle();
    const id = req.get("mcp-session-id");
    res.locals["session"] = sessions.get(id ?? "");
    // by which a client knows that it has to begin another session
    if (id !== undefined && res.locals["session"] === undefined) return res.sendStatus(404);
    next();
  });
  // only known sessions have a limit of their own: anybody can make up names
  const hasSession = (res: { locals: Record<string, unknown> }) => res.locals["session"] !== undefined;
  app.use(
    "/mcp",
    rateLimit({ windowMs: 60_000, limit: 10, skip: (_req, res) => hasSession(res) }),
    rateLimit({
      windowMs: 60_000,
      limit: 100,
      keyGenerator: (req) => req.get("mcp-session-id") ?? "",
      skip: (_req, res) => !hasSession(res),
    }),
  );
  app.all("/mcp", async (req, res) => {
    const session: Session = res.locals["session"] ?? await begin();
    session.open++;
    res.once("close", () => {
      session.open--;
      if (sessions.get(session.transport.sessionId ?? "") === session) use(session.transport.sessionId!, session);
    });
    return await session.transport.handleRequest(req.request);
  });
  // streams would keep the server from closing
  app.once("closing", () => {
    for (const { transport } of sessions.values()) void transport.close();
  });
  return app;
}

if (import.meta.main) makeApp().listen(3000);
