/** A process that makes one check without a server, closes, and then has no reason to keep running. */
import { Limiter, RedisStore } from "../../mod.ts";

const limiter = new Limiter({ store: new RedisStore({ url: Deno.args[0]! }), limit: 1, processes: 1, timeoutMs: 50 });
limiter.on("storeFailure", () => {});
const { decidedBy } = await limiter.consume("key");
await limiter.close();
console.log(decidedBy);
