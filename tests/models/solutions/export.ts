import sluice from "@sluice/sluice";

async function* rows(onEnd: () => void) {
  try {
    for (let n = 1; n <= 100_000; n++) yield `${JSON.stringify({ n })}\n`;
  } finally {
    onEnd();
  }
}

export function createApp(onEnd: () => void) {
  const app = sluice();
  app.get("/export.ndjson", (_req, res) => {
    res.type("application/x-ndjson");
    res.send(ReadableStream.from(rows(onEnd)).pipeThrough(new TextEncoderStream()));
  });
  return app;
}
