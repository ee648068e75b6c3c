import { assert, assertEquals } from "@std/assert";
import { MemoryStore, type Policy, type Take } from "../../mod.ts";
import { random } from "../../../tests/support/random.ts";
import { certainExcess, type Grant } from "../support/late/certain_excess.ts";

const BASE = { name: "p", limit: 10, windowMs: 1000 };
const POLICIES: readonly Policy[] = [
  { ...BASE, algorithm: "sliding-log" },
  { ...BASE, algorithm: "sliding-window" },
  { ...BASE, algorithm: "fixed-window" },
  { ...BASE, algorithm: "fixed-window", align: "clock" },
  { ...BASE, algorithm: "sliding-approximate" },
  { ...BASE, algorithm: "token-bucket" },
];

/** The memory store's grants, with bounds around each decision, if its windows are too short. */
function grantsOf(policy: Policy, seed: number, shorterMs: number): Grant[] {
  const pick = random(seed);
  let now = 1_000_000;
  const store = new MemoryStore({ clock: () => now });
  const grants: Grant[] = [];
  const shorter = { ...policy, windowMs: policy.windowMs - shorterMs };
  for (let i = 0; i < 400; i++) {
    now += pick(40);
    const take: Take = { policy: shorter, key: "key", cost: 1 + pick(3) };
    const { granted } = store.decide([take])[0]!;
    if (granted > 0) grants.push({ units: granted, sent: now - pick(30), replied: now + pick(30) });
  }
  return grants;
}

for (const policy of POLICIES) {
  const name = `${policy.algorithm}${policy.align === "clock" ? " by the clock" : ""}`;

  Deno.test(`what is granted by ${name} is never too much, whenever within its bounds it was decided`, () => {
    for (let seed = 0; seed < 30; seed++) {
      assertEquals(certainExcess(policy, grantsOf(policy, seed, 0), 0), undefined, `seed ${seed}`);
    }
  });

  Deno.test(`windows of ${name} that are too short are found out`, () => {
    const found = Array.from({ length: 30 }, (_, seed) => certainExcess(policy, grantsOf(policy, seed, 400), 0));
    assert(found.filter((one) => one !== undefined).length > 15, `${found}`);
  });
}
