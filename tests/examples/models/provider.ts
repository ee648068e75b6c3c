/** A provider with the chat completions API, which follows the prompt. */
import sluice, { type FrameworkApp } from "@sluice/sluice";

/** The provider's observations. */
export interface Provider {
  readonly app: FrameworkApp;
  /** Aborted requests. */
  left: number;
  /** The last request's headers and body. */
  last: { readonly authorization: string | undefined; readonly body: Record<string, unknown> } | undefined;
}

export function makeProvider(): Provider {
  const provider: Provider = { app: sluice().set("env", "test"), left: 0, last: undefined };
  provider.app.post("/", sluice.json(), async (req, res) => {
    provider.last = { authorization: req.get("authorization"), body: req.body };
    const prompt = req.body.messages[0].content;
    if (prompt === "fail") return res.status(500).send("the key k is wrong");
    let isOpen = true;
    res.on("close", () => {
      isOpen = false;
      if (prompt === "endless") provider.left++;
    });
    const event = (value: unknown) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
    const piece = (content: string) => event({ choices: [{ delta: { content } }] });
    res.type("text/event-stream");
    const [first, second] = [piece("Hel"), piece("lo, wörld")];
    // split wherever a network may: inside an event and inside a character
    const bytes = new TextEncoder().encode(`: comment\n\n${first}${second}`);
    for (const cut of [bytes.slice(0, 20), bytes.slice(20, -12), bytes.slice(-12)]) {
      res.write(cut);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    while (prompt === "endless" && isOpen) {
      res.write(piece("…"));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    if (prompt === "cut") return res.end();
    res.write(event({ choices: [], usage: { total_tokens: 60 } }));
    res.end(event("[DONE]"));
  });
  return provider;
}
