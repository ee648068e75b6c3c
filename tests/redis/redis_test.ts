import { assertMatch } from "@std/assert";

async function ask(command: string): Promise<string> {
  const { hostname, port } = new URL(Deno.env.get("REDIS_URL")!);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(new TextEncoder().encode(`${command}\r\n`));
  const buffer = new Uint8Array(64 * 1024);
  const length = await connection.read(buffer);
  return new TextDecoder().decode(buffer.subarray(0, length ?? 0));
}

Deno.test("the test harness provides a Redis that answers", async () => {
  assertMatch(await ask("PING"), /^\+PONG\r\n$/);
});

Deno.test("the test harness provides Redis 7 or later", async () => {
  assertMatch(await ask("INFO server"), /redis_version:(?:[7-9]|\d\d)\./);
});
