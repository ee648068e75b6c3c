import { RedisStore } from "../../src/stores/redis/redis_store.ts";
import { storeContract } from "../../testing.ts";

storeContract(
  {
    name: "RedisStore",
    make(clock) {
      const prefix = `contract-${crypto.randomUUID()}:`;
      const store = new RedisStore({ url: Deno.env.get("REDIS_URL")!, prefix, clock: clock.read });
      return Promise.resolve({ store, dispose: () => store.close() });
    },
  },
  Deno.test,
  { operations: Number(Deno.env.get("SLUICE_FUZZ_OPERATIONS") ?? 3000) },
);
