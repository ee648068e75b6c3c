import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import { timeout } from "@sluice/middleware/timeout";
import sluice, { HttpError } from "@sluice/sluice";

export function createApp(secret: string) {
  const app = sluice();
  const handled = new Set<string>();

  app.post("/webhook", timeout("5s"), sluice.raw({ type: "application/json" }), (req, res) => {
    const body: Uint8Array = req.body ?? new Uint8Array();
    const expected = createHmac("sha256", secret).update(body).digest();
    const given = Buffer.from(req.get("x-signature") ?? "", "hex");
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw new HttpError(401, "The signature is missing or wrong");
    }
    const { id } = JSON.parse(new TextDecoder().decode(body));
    const isNew = !handled.has(id);
    handled.add(id);
    res.json({ handled: isNew });
  });
  return app;
}
