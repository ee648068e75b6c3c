import pg from "pg";
import { PostgresStore } from "@sluice/rate-limit/postgres";
import { storeContract } from "../../testing.ts";

storeContract(
  {
    name: "PostgresStore",
    async make(clock) {
      const client = new pg.Pool({ connectionString: Deno.env.get("POSTGRES_URL")! });
      const table = `contract_${crypto.randomUUID().replaceAll("-", "")}`;
      const store = new PostgresStore({ client, table, clock: clock.read });
      await store.warm();
      const dispose = async () => {
        await client.query(`DROP TABLE ${table}_1`);
        await client.end();
      };
      return { store, dispose };
    },
  },
  Deno.test,
  { operations: Number(Deno.env.get("SLUICE_FUZZ_OPERATIONS") ?? 3_000) },
);
