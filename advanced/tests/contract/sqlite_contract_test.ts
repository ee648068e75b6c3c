import { DatabaseSync } from "node:sqlite";
import { SqliteStore } from "@sluice/rate-limit/sqlite";
import { storeContract } from "../../testing.ts";

storeContract(
  {
    name: "SqliteStore",
    make(clock) {
      const store = new SqliteStore({ database: new DatabaseSync(":memory:"), clock: clock.read });
      return Promise.resolve({ store, dispose: () => Promise.resolve(store.close()) });
    },
  },
  Deno.test,
  { operations: Number(Deno.env.get("SLUICE_FUZZ_OPERATIONS") ?? 3_000) },
);
