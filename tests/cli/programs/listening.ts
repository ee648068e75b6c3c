/** The most common kind of program: exports nothing, and listens when ready. */
import sluice, { rateLimit, Router } from "@sluice/sluice";

const app = sluice();
app.use(function logger(_req, _res, next) {
  next();
});
app.use("/api", rateLimit({ windowMs: 60_000, limit: 100 }), sluice.json({ limit: "10kb" }));
const users = Router();
users.get("/:id", function showUser(req, res) {
  res.json({ id: req.params.id });
});
app.use("/api/users", users);
app.get("/", (_req, res) => res.send("home"));

await new Promise((resolve) => setTimeout(resolve, 5));
setTimeout(() => app.listen(3000, () => console.log("listening")), 5);
