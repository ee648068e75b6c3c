/** An application without the middleware that the default export includes. */
import { FrameworkApp, Router } from "@sluice/sluice";

const router = new Router();
router.get("/:name", (req, res) => res.json({ hello: req.params.name }));

const app = new FrameworkApp();
app.use("/hello", router);

export default app;
