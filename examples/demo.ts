/** Starts the demo: `deno task start`, on `PORT` or 3000. */
import { makeDemo } from "./demo/app.ts";

const app = makeDemo();
const server = app.listen(Number(Deno.env.get("PORT") ?? 3000), () => {
  console.log(`The demo listens on ${server.url}`);
});
