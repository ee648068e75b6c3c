import { MemoryStore } from "../../src/stores/memory_store.ts";
import { storeContract } from "../../testing.ts";

storeContract(
  {
    name: "MemoryStore",
    make: (clock) => Promise.resolve({ store: new MemoryStore({ clock: clock.read }) }),
  },
  Deno.test,
  { operations: Number(Deno.env.get("SLUICE_FUZZ_OPERATIONS") ?? 20_000) },
);
