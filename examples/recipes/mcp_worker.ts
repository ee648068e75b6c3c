/** An MCP server on Workers, over Streamable HTTP: each session is a Durable Object. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport as Transport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import sluice, { type FrameworkApp, rateLimit } from "@sluice/sluice";
import { z } from "zod";

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

/** A session: its id is the object's. */
export class McpSession {
  readonly #app: FrameworkApp = sluice();

  constructor(ctx: { readonly id: { toString(): string } }) {
    const transport = new Transport({ sessionIdGenerator: () => ctx.id.toString() });
    const connected = createServer().connect(transport);
    this.#app.use(rateLimit({ windowMs: 60_000, limit: 100, keyGenerator: () => "this session" }));
    this.#app.use(async (req, res) => {
      await connected;
      // the object was recreated since: 404 makes the client begin another session
      if (req.get("mcp-session-id") !== undefined && transport.sessionId === undefined) return res.sendStatus(404);
      return await transport.handleRequest(req.request);
    });
  }

  fetch(request: Request): Response | Promise<Response> {
    return this.#app.fetch(request);
  }
}

const app: FrameworkApp = sluice();
app.all("/mcp", (req, res) => {
  // sent by a page; programs have no origin
  if (req.get("origin") !== undefined) return res.sendStatus(403);
  const { SESSIONS } = req.env;
  const id = req.get("mcp-session-id");
  let session;
  try {
    session = id === undefined ? SESSIONS.newUniqueId() : SESSIONS.idFromString(id);
  } catch {
    // the id belongs to none of these objects
    return res.sendStatus(404);
  }
  return SESSIONS.get(session).fetch(req.request);
});
export default app;
