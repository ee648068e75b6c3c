/** Work that continues after the response: it notifies another service, with retries, and closing waits for it. */
import process from "node:process";
import sluice, { type FrameworkApp } from "@sluice/sluice";

interface Told {
  /** The URL to notify. */
  url: string;
  /** Maximum number of attempts. */
  attempts?: number;
  /** ms before the second attempt, doubled before each further one. */
  pauseMs?: number;
}

export function makeApp(told: Told): FrameworkApp {
  const app = sluice();
  app.post("/orders", sluice.json(), (req, res) => {
    const order = { id: crypto.randomUUID(), items: req.body.items };
    req.waitUntil(tell(told, order));
    res.status(202).json(order);
  });
  return app;
}

async function tell({ url, attempts = 5, pauseMs = 1000 }: Told, order: { id: string }): Promise<void> {
  for (let attempt = 1;; attempt++) {
    const failure = await told(url, order);
    if (failure === undefined) return;
    const { isFinal, reason } = failure;
    if (isFinal || attempt === attempts) throw new Error(`Order ${order.id} is not told: ${reason}`);
    // jitter, so that retries do not coincide after an outage
    const ms = pauseMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
}

/** Tries once. A request that the other service rejects as invalid is not worth retrying. */
async function told(url: string, order: { id: string }): Promise<{ isFinal: boolean; reason: string } | undefined> {
  try {
    const response = await fetch(url, {
      method: "POST",
      // lets the other service recognize repeated requests
      headers: { "Content-Type": "application/json", "Idempotency-Key": order.id },
      body: JSON.stringify(order),
      redirect: "manual",
      signal: AbortSignal.timeout(5000),
    });
    await response.body?.cancel();
    const { ok, status } = response;
    return ok ? undefined : { isFinal: status < 500 && status !== 408 && status !== 429, reason: `status ${status}` };
  } catch (error) {
    return { isFinal: false, reason: String(error) };
  }
}

if (import.meta.main) {
  const app = makeApp({ url: "https://stock.example.com/orders" });
  app.listen(3000);
  process.once("SIGTERM", async () => {
    await app.close({ timeoutMs: 25_000 });
    process.exit(0);
  });
}
