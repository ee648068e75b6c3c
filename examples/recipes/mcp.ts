/** An MCP server over Streamable HTTP, with session timeouts and rate limits. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport as Transport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import sluice, { type FrameworkApp, rateLimit } from "@sluice/sluice";
import { z } from "zod";

/** The tools of one session: each session has its own server. */
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
  /** Number of responses in progress. */
  open: number;
  /** When the last one ended, in ms. */
  usedAt: number;
}

interface McpOptions {
  /** Origins whose pages may call it. Programs have no origin, and are allowed. */
  origins?: readonly string[];
  maxSessions?: number;
  /** ms without a request after which a session ends. */
  idleMs?: number;
  /** ms between comments on an idle stream, which also detect disconnected clients. */
  keepAliveMs?: number;
  clock?: () => number;
}

export function makeApp(options: McpOptions = {}): FrameworkApp {
  const { origins = [], maxSessions = 1000, idleMs = 30 * 60_000, keepAliveMs = 15_000, clock = Date.now } = options;
  // ordered by last use
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
    // also after DELETE
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
    // makes the client begin another session
    if (id !== undefined && res.locals["session"] === undefined) return res.sendStatus(404);
    next();
  });
  // only known sessions have their own limit: anyone can invent an id
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
  // open streams would keep the server from closing
  app.once("closing", () => {
    for (const { transport } of sessions.values()) void transport.close();
  });
  return app;
}

if (import.meta.main) makeApp().listen(3000);
