/** Streams a model's response, from any provider with a chat completions API. */
import sluice, { type FrameworkApp, HttpError } from "@sluice/sluice";
import { EventSourceParserStream } from "eventsource-parser/stream";

interface Provider {
  /** For example `https://api.openai.com/v1/chat/completions`. */
  url: string;
  model: string;
  key: string;
}

/** An event of the provider. */
interface Chunk {
  choices: { delta: { content?: string | null } }[];
  usage?: { total_tokens: number } | null;
}

export function makeApp({ url, model, key }: Provider): FrameworkApp {
  const app = sluice();
  app.post("/complete", sluice.json({ limit: "100kb" }), async (req, res) => {
    const response = await fetch(url, {
      method: "POST",
      // aborts when the client disconnects
      signal: req.signal,
      headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model,
        messages: [{ role: "user", content: String(req.body?.prompt) }],
        stream: true,
        stream_options: { include_usage: true },
      }),
    }).catch((cause) => {
      throw new HttpError(502, "The model cannot be reached", { cause });
    });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      // the provider's message may contain the key
      throw new HttpError(502, `The model responded with ${response.status}`);
    }
    const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    async function* text() {
      for await (const { data } of events) {
        if (data === "[DONE]") return;
        const { choices, usage } = JSON.parse(data) as Chunk;
        if (usage) res.locals["tokens"] = usage.total_tokens;
        const content = choices[0]?.delta.content;
        if (!content) continue;
        // an estimate until the model reports usage: a disconnected client pays for what it got
        res.locals["tokens"] = (res.locals["tokens"] ?? 0) + 1;
        yield content;
      }
      // cuts off the response, so that a client cannot mistake half of it for the whole
      throw new Error("The model has stopped in the middle");
    }
    res.type("text").send(ReadableStream.from(text()).pipeThrough(new TextEncoderStream()));
  });
  return app;
}
