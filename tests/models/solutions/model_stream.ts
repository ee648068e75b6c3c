import sluice, { HttpError } from "@sluice/sluice";

/** Data from server-sent events. */
async function* dataOf(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  let text = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    const events = text.split("\n\n");
    text = events.pop()!;
    for (const event of events) {
      const lines = event.split("\n").filter((line) => line.startsWith("data:"));
      if (lines.length > 0) yield lines.map((line) => line.slice("data:".length).trim()).join("\n");
    }
  }
}

async function* textOf(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  for await (const data of dataOf(body)) {
    if (data === "[DONE]") return;
    yield JSON.parse(data).text as string;
  }
}

export function createApp(provider: string) {
  const app = sluice();
  app.post("/chat", sluice.json(), async (req, res) => {
    const response = await fetch(provider, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ prompt: req.body.prompt }),
      signal: req.signal,
    }).catch((cause) => {
      throw new HttpError(502, "The model cannot be reached", { cause });
    });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new HttpError(502, "The model has failed");
    }
    res.type("text");
    res.send(ReadableStream.from(textOf(response.body)).pipeThrough(new TextEncoderStream()));
  });
  return app;
}
