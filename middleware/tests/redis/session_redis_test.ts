import { RedisSessionStore } from "@sluice/middleware/session/redis";
import { assertEquals } from "@std/assert";
import { Redis } from "ioredis";
import { createClient, RESP_TYPES } from "redis";
import { sessionStoreContract, type Subject } from "../support/session_store_contract.ts";

const url = Deno.env.get("REDIS_URL")!;

/** ioredis commands; each test has its own key prefix. */
type Commands = Pick<Redis, "keys" | "pttl" | "pexpire">;

// Redis has no clock that a test could set, so its keys are aged
function agingOf(prefix: string, { keys, pttl, pexpire }: Commands): Subject["pass"] {
  return async (ms) => {
    for (const key of await keys(`${prefix}*`)) await pexpire(key, await pttl(key) - ms);
  };
}

function prefixed(): string {
  return `session:${crypto.randomUUID()}:`;
}

sessionStoreContract("RedisSessionStore over node-redis", async (body) => {
  const client = await createClient({ url }).connect();
  try {
    const prefix = prefixed();
    const { keys, pTTL, pExpire } = client;
    const commands = { keys: keys.bind(client), pttl: pTTL.bind(client), pexpire: pExpire.bind(client) };
    await body({ store: new RedisSessionStore({ client, prefix }), pass: agingOf(prefix, commands as never) });
  } finally {
    client.destroy();
  }
});

sessionStoreContract("RedisSessionStore over ioredis", async (body) => {
  const client = new Redis(url);
  try {
    const prefix = prefixed();
    await body({ store: new RedisSessionStore({ client, prefix }), pass: agingOf(prefix, bound(client)) });
  } finally {
    client.disconnect();
  }
});

// like Bun's client, which runs only on Bun
sessionStoreContract("RedisSessionStore over a client that sends commands", async (body) => {
  const redis = new Redis(url);
  const client = { connected: true, send: (command: string, args: string[]) => redis.call(command, ...args) };
  try {
    const prefix = prefixed();
    await body({ store: new RedisSessionStore({ client, prefix }), pass: agingOf(prefix, bound(redis)) });
  } finally {
    redis.disconnect();
  }
});

function bound(client: Redis): Commands {
  return { keys: client.keys.bind(client), pttl: client.pttl.bind(client), pexpire: client.pexpire.bind(client) };
}

Deno.test("Redis has a key for each session, with the prefix and a time, and Buffers are read as text", async () => {
  const client = await createClient({ url }).connect();
  try {
    const prefix = prefixed();
    await new RedisSessionStore({ client, prefix }).set("id", "[ü]", { ttlMs: 60_000, isNew: true });
    assertEquals(await client.get(`${prefix}id`), "[ü]");
    const left = await client.pTTL(`${prefix}id`);
    assertEquals(left > 50_000 && left <= 60_000, true);
    const buffers = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
    assertEquals(await new RedisSessionStore({ client: buffers, prefix }).get("id"), "[ü]");
  } finally {
    client.destroy();
  }
});
