/** The smallest application there is, as a Worker's program has it. */
import sluice from "@sluice/sluice";

const app = sluice();
app.get("/hello/:name", (req, res) => res.json({ hello: req.params.name }));

export default app;
