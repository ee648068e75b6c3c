/** The documented programs for language models, one under each path, for every runtime. */
import sluice, { type FrameworkApp } from "@sluice/sluice";
import { rateLimit } from "@sluice/rate-limit";
import { MockLanguageModelV4 } from "ai/test";
import { makeApp as makeFetched } from "../../../examples/recipes/model_stream_fetch.ts";
import { makeApp as makeStreamed } from "../../../examples/recipes/model_stream.ts";

/** The usage that a model reports at the end. */
const USAGE = {
  inputTokens: { total: 20, noCache: 20, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 40, text: 40, reasoning: undefined },
};

type Part = Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"] extends ReadableStream<infer P> ? P : never;

/**
 * Builds the program.
 *
 * @param provider URL of a provider with the chat completions API
 * @param mcp The MCP server
 */
export function buildProgram(provider: string, mcp: FrameworkApp): FrameworkApp {
  let aborted = 0;
  const model = new MockLanguageModelV4({
    doStream: ({ prompt, abortSignal }) => {
      const asked = JSON.stringify(prompt);
      abortSignal?.addEventListener("abort", () => void aborted++);
      async function* parts(): AsyncGenerator<Part> {
        yield { type: "text-start", id: "1" };
        yield { type: "text-delta", id: "1", delta: "Hel" };
        if (asked.includes("fail")) yield { type: "error", error: new Error("the model fails") };
        while (asked.includes("endless") && abortSignal?.aborted !== true) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          yield { type: "text-delta", id: "1", delta: "…" };
        }
        yield { type: "text-delta", id: "1", delta: "lo" };
        yield { type: "text-end", id: "1" };
        yield { type: "finish", finishReason: { unified: "stop", raw: undefined }, usage: USAGE };
      }
      return Promise.resolve({ stream: ReadableStream.from(parts()) });
    },
  });
  const app = sluice().set("env", "test");
  app.use("/mcp-server", mcp);
  app.get("/aborted", (_req, res) => res.json(aborted));
  app.use("/ai", makeStreamed(model).set("env", "test"));
  app.use("/fetch", makeFetched({ url: provider, model: "small", key: "k" }).set("env", "test"));
  app.use("/unreachable", makeFetched({ url: "http://127.0.0.1:1/", model: "small", key: "k" }).set("env", "test"));
  const byTokens = rateLimit({
    algorithm: "sliding-window",
    windowMs: 60_000,
    limit: 100,
    maxDebt: 50,
    keyGenerator: (req) => req.get("x-user") ?? "",
    cost: 20,
    costAfter: (_req, res) => res.locals["tokens"],
  });
  app.use("/limited", byTokens, makeStreamed(model));
  return app;
}
