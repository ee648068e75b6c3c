/**
 * An application that uses all cores when started several times: each response names the process or thread that sent
 * it.
 *
 * On Deno: `PORT=3000 deno serve --parallel --allow-env examples/all-cores/app.ts`
 */
import sluice, { type FrameworkApp, rateLimit } from "@sluice/sluice";

const app: FrameworkApp = sluice();
const worker = crypto.randomUUID();

app.get("/", (_req, res) => res.json({ worker }));
// each process counts separately: with four of them, a client gets up to 40 responses a minute
app.get("/limited", rateLimit({ windowMs: 60_000, limit: 10 }), (_req, res) => res.json({ worker }));

export default app;
