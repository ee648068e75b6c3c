/** Streams a model's response with the AI SDK. It is aborted when the client disconnects. */
import sluice, { type FrameworkApp } from "@sluice/sluice";
import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  type LanguageModel,
  streamText,
  toUIMessageStream,
} from "ai";

export function makeApp(model: LanguageModel): FrameworkApp {
  const app = sluice();

  // plain text, for programs
  app.post("/complete", sluice.json({ limit: "100kb" }), (req, res) => {
    const { stream } = streamText({ model, prompt: String(req.body?.prompt), abortSignal: req.signal, maxRetries: 0 });
    async function* text() {
      for await (const part of stream) {
        // cuts off the response, so that a client cannot mistake half of it for the whole
        if (part.type === "error") throw part.error;
        if (part.type === "finish") res.locals["tokens"] = part.totalUsage.totalTokens;
        if (part.type !== "text-delta") continue;
        // an estimate until the model reports usage: a disconnected client pays for what it got
        res.locals["tokens"] = (res.locals["tokens"] ?? 0) + 1;
        yield part.text;
      }
    }
    res.type("text").send(ReadableStream.from(text()).pipeThrough(new TextEncoderStream()));
  });

  // messages, for useChat of @ai-sdk/react
  app.post("/chat", sluice.json({ limit: "1mb" }), async (req, res) => {
    const { stream } = streamText({
      model,
      messages: await convertToModelMessages(req.body.messages),
      abortSignal: req.signal,
      onEnd: ({ usage }) => void (res.locals["tokens"] = usage.totalTokens),
    });
    return createUIMessageStreamResponse({ stream: toUIMessageStream({ stream }) });
  });
  return app;
}
