/** Redis faults while two processes share topics through it. */
import { fileURLToPath } from "node:url";
import { SocketClient } from "../../tests/contracts/socket_client.ts";
import { packageFlags } from "../../tests/support/node_program.ts";
import { type RedisServer, startServer } from "../../tests/support/redis_servers.ts";
import { until } from "../../tests/support/until.ts";
import { Child } from "../support/children.ts";
import type { Row } from "./row.ts";

const PROGRAM = fileURLToPath(new URL("../../tests/fixtures/topic_process.ts", import.meta.url));
const MESSAGES = 200;
const EVERY_MS = 20;
/** First and last message during the fault. */
const [FROM, TO] = [50, 100];

const FAULTS: Readonly<Record<string, { begin(server: RedisServer): unknown; end(server: RedisServer): unknown }>> = {
  "none": { begin() {}, end() {} },
  "Redis frozen for 1 s": { begin: (server) => server.pause(), end: (server) => server.resume() },
  "Redis killed, and restarted 1 s later": { begin: (server) => server.kill(), end: (server) => server.restart() },
};

/** Injects each fault and yields its row. */
export async function* topicFaults(): AsyncGenerator<Row> {
  for (const [name, { begin, end }] of Object.entries(FAULTS)) {
    await using stack = new AsyncDisposableStack();
    const server = stack.use(await startServer());
    const here = await processOn(stack, server);
    const there = await processOn(stack, server);
    const publisher = stack.use(new SocketClient(here, "/publish/news"));
    await publisher.next();
    const followers = [here, there].map((origin) => stack.use(new SocketClient(origin, "/follow/news")));
    for (const follower of followers) await follower.next();
    const subscribed = async () => (await server.cli("PUBSUB", "NUMSUB", "sluice:news")).endsWith("\n2");
    await until(subscribed, "both processes are subscribed");
    const received = followers.map((follower) => collected(follower));
    for (let i = 0; i < MESSAGES; i++) {
      if (i === FROM) await begin(server);
      if (i === TO) await end(server);
      await publisher.send(`${i} 1`);
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
    // messages are ordered: once this message has arrived, no other message is in transit
    let probes = 0;
    await until(async () => {
      await publisher.send(`end${probes++} 1`);
      await new Promise((resolve) => setTimeout(resolve, 50));
      return received.every((list) => list.some((text) => text.startsWith("end")));
    }, "messages arrive again in both processes");
    yield rowOf(name, received);
  }
}

async function processOn(stack: AsyncDisposableStack, { url }: RedisServer): Promise<string> {
  const args = ["run", "-A", "--quiet", "--no-check", ...await packageFlags("chaos_topics"), PROGRAM];
  const child = stack.use(Child.start([Deno.execPath(), ...args], { REDIS_URL: url }));
  return `http://127.0.0.1:${Number(await child.line())}`;
}

function collected({ socket }: SocketClient): string[] {
  const list: string[] = [];
  socket.addEventListener("message", ({ data }) => list.push(data));
  return list;
}

function rowOf(name: string, received: readonly (readonly string[])[]): Row {
  const numbers = received.map((list) => list.filter((text) => !text.startsWith("end")).map((text) => parseInt(text)));
  const [near, far] = numbers.map((list) => new Set(list).size) as [number, number];
  const doubled = numbers.some((list) => new Set(list).size < list.length);
  const unordered = numbers.some((list) => list.some((one, i) => i > 0 && one <= list[i - 1]!));
  // messages published while Redis is down are lost for other processes, and no other messages are
  const arrived = numbers[1]!.filter((one) => one < FROM || one >= TO + 50).length;
  const wanted = FROM + MESSAGES - TO - 50;
  const broken = near < MESSAGES
    ? "messages within a process are lost"
    : doubled || unordered
    ? "messages are doubled, or out of order"
    : name === "none" && far < MESSAGES || arrived < wanted
    ? "messages are lost while Redis is there"
    : undefined;
  return {
    ...{ fault: `topics: ${name}`, sent: 2 * MESSAGES, lost: 2 * MESSAGES - near - far },
    remark: `${MESSAGES - near} lost in the publishing process, ${MESSAGES - far} in the other`,
    ...(broken === undefined ? {} : { broken }),
  };
}
