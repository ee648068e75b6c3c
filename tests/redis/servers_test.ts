import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { startCluster } from "../support/redis_cluster.ts";
import { startSentinel } from "../support/redis_sentinel.ts";
import { startServer } from "../support/redis_servers.ts";
import { until } from "../support/until.ts";

Deno.test("a server of a test answers under its own process id and is gone after stop", async () => {
  const server = await startServer();
  const { pid } = server;
  assertEquals(await server.cli("PING"), "PONG");
  assertEquals(await isRedis(pid), true);
  await server.stop();
  assertEquals(await isRedis(pid), false);
  await assertRejects(() => server.cli("PING"), Error, "Could not connect");
});

Deno.test("a paused server answers nothing until it is resumed, and then applies pending commands", async () => {
  await using paused = await startServer();
  await using other = await startServer();
  paused.pause();
  let answered = false;
  const waiting = paused.cli("INCR", "count").then((reply) => {
    answered = true;
    return reply;
  });
  for (let times = 0; times < 5; times++) assertEquals(await other.cli("PING"), "PONG");
  assertEquals(answered, false);
  paused.resume();
  assertEquals(await waiting, "1");
  assertEquals(await paused.cli("INCR", "count"), "2");
});

Deno.test("a killed server refuses connections and restarts empty on the same port", async () => {
  await using server = await startServer();
  const { port, pid } = server;
  await server.cli("SET", "name", "value");
  await server.kill();
  await assertRejects(() => server.cli("PING"), Error, "Could not connect");
  await server.restart();
  assertEquals(server.port, port);
  assertNotEquals(server.pid, pid);
  assertEquals(await server.cli("DBSIZE"), "0");
});

Deno.test("a paused server can be stopped", async () => {
  const server = await startServer();
  server.pause();
  await server.stop();
  await assertRejects(() => server.cli("PING"), Error, "Could not connect");
});

Deno.test("a server uses the port and the settings it is given", async () => {
  const before = await startServer();
  const { port } = before;
  await before.stop();
  await using server = await startServer({ port, args: ["--maxmemory", "64mb"] });
  assertEquals(server.url, `redis://127.0.0.1:${port}`);
  assertEquals(await server.cli("CONFIG", "GET", "maxmemory"), `maxmemory\n${64 * 1024 * 1024}`);
});

Deno.test("a server that rejects its settings is an error", async () => {
  await assertRejects(() => startServer({ args: ["--no-such-setting", "1"] }), Error, "ended at once");
});

Deno.test("a cluster accepts a key on each of its nodes", async () => {
  await using cluster = await startCluster();
  // their slots are 3300, 7365 and 15495: one in each third
  for (const key of ["b", "c", "a"]) await cluster.nodes[0]!.cli("-c", "SET", key, "value");
  for (const node of cluster.nodes) assertEquals(await node.cli("DBSIZE"), "1");
  await assertRejects(() => cluster.nodes[0]!.cli("GET", "a"), Error, "MOVED 15495");
});

Deno.test("a killed node of a cluster rejoins it after a restart", async () => {
  await using cluster = await startCluster();
  const node = cluster.nodes[1]!;
  await node.cli("SET", "c", "value");
  await node.kill();
  await node.restart();
  await until(async () => await cluster.nodes[0]!.cli("-c", "SET", "c", "again") === "OK", "a node that takes its key");
  assertEquals(await node.cli("DBSIZE"), "1");
});

Deno.test("a sentinel reports the replica as primary after the primary was killed", async () => {
  await using watched = await startSentinel();
  const { primary, replica, sentinel, name } = watched;
  const named = () => sentinel.server.cli("SENTINEL", "GET-MASTER-ADDR-BY-NAME", name);
  await primary.cli("SET", "kept", "value");
  await until(async () => await replica.cli("GET", "kept") === "value", "the key on the replica");
  assertEquals(await named(), `127.0.0.1\n${primary.port}`);
  await primary.kill();
  await until(async () => await named() === `127.0.0.1\n${replica.port}`, "a new primary");
  await until(async () => await replica.cli("SET", "taken", "value") === "OK", "a replica that takes writes");
  assertEquals(await replica.cli("GET", "kept"), "value");
});

async function isRedis(pid: number): Promise<boolean> {
  const name = await Deno.readTextFile(`/proc/${pid}/comm`).catch(() => "");
  return name.trim() === "redis-server";
}
