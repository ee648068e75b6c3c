/** The smallest application, as in a Worker. */
import sluice from "@sluice/sluice";

const app = sluice();
app.get("/hello/:name", (req, res) => res.json({ hello: req.params.name }));

export default app;
