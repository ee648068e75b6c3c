/** Durable Objects that hibernate while their connections are open, in workerd. */
import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { RawSocket } from "../contracts/raw_socket.ts";
import { type RunningWorker, withWorker, WORKERD } from "../support/workerd.ts";
import { until } from "../support/until.ts";

const OBJECTS = { room: "Room", quiet: "QuietRoom", shared: "SharedRoom" };

function withRooms(body: (worker: RunningWorker) => Promise<void>): Promise<void> {
  return withWorker("tests/workers/programs/rooms.ts", { objects: OBJECTS, bindings: { NAME: "the Worker" } }, body);
}

/** A connection's report on itself. */
interface Told {
  born: string;
  own: Record<string, unknown>;
  topics: string[];
  request: Record<string, unknown>;
  inside: Record<string, unknown>;
}

const told = (message: unknown): Told => JSON.parse(String(message)) as Told;

Deno.test(
  "a message wakes the object and reaches its handlers, with all of the connection's state",
  WORKERD,
  async () => {
    await withRooms(async ({ connect, sleep, text }) => {
      const ann = await connect("/room/blue/talk/ann?key=1&key=2", {
        protocols: ["v1", "v2"],
        headers: { "cookie": "session=abc", "x-forwarded-proto": "https" },
      });
      assertEquals(await ann.next(), "open");
      assertEquals(await ann.say("count"), "1");
      assertEquals(await ann.say("follow odd"), "done");
      const before = told(await ann.say("describe"));
      assertEquals(before.request["cookies"], { session: "abc" });
      assertEquals(before.own, { count: 1, since: ["Date", 7], seen: ["Map", ["a", { deep: [1] }]] });
      assertEquals(before.topics, ["all", "odd"]);
      await sleep("Room", "blue");
      assertEquals(await ann.say("count"), "2");
      await sleep("Room", "blue");
      const after = told(await ann.say("describe"));
      assertNotEquals(after.born, before.born, "the object must have been recreated");
      assertEquals(after, { ...before, born: after.born, own: { ...before.own, count: 2 } });
      assertEquals(await text("/room/blue/notes"), '["open ann"]');
    });
  },
);

Deno.test(
  "a published message reaches hibernating connections, whether published by one of them or from outside",
  WORKERD,
  async () => {
    await withRooms(async ({ connect, sleep, text }) => {
      const clients = await Promise.all(["ann", "ben", "cem"].map((name) => connect(`/room/blue/talk/${name}`)));
      for (const client of clients) await client.next();
      const [ann, ben, cem] = clients;
      assertEquals(await cem!.say("leave all"), "done");
      await sleep("Room", "blue");
      assertEquals(await text("/room/blue/publish/news"), "2");
      assertEquals([await ann!.next(), await ben!.next()], ["news", "news"]);
      await sleep("Room", "blue");
      assertEquals(await ann!.say("tell hello"), "1");
      assertEquals(await ben!.next(), "hello");
      await sleep("Room", "blue");
      assertEquals(await ann!.say("follow odd"), "done");
      await sleep("Room", "blue");
      assertEquals(told(await ann!.say("describe")).topics, ["all", "odd"]);
    });
  },
);

Deno.test("a topic subscribed to outside a connection's handlers is kept too", WORKERD, async () => {
  await withRooms(async ({ connect, sleep, text }) => {
    const ann = await connect("/room/blue/talk/ann");
    await ann.next();
    assertEquals(await text("/room/blue/gather/odd"), "1");
    await sleep("Room", "blue");
    assertEquals(told(await ann.say("describe")).topics, ["all", "odd"]);
  });
});

Deno.test("the object stays awake until a handler has ended, and keeps its changes", WORKERD, async () => {
  await withRooms(async ({ connect, sleep }) => {
    const ann = await connect("/room/blue/talk/ann");
    await ann.next();
    const { born } = told(await ann.say("describe"));
    ann.socket.send("slow");
    // messages arrive in order: once this message has a reply, the slow handler is waiting
    assertEquals(await ann.say("count"), "1");
    await sleep("Room", "blue");
    assertEquals(await ann.next(), "11");
    const after = told(await ann.say("describe"));
    assertEquals(after.own["count"], 11);
    assertNotEquals(after.born, born);
  });
});

Deno.test(
  "a connection that ends while the object sleeps gets one close, and is no longer subscribed",
  WORKERD,
  async () => {
    await withRooms(async ({ connect, sleep, text }) => {
      const [ann, ben] = [await connect("/room/blue/talk/ann"), await connect("/room/blue/talk/ben")];
      await Promise.all([ann.next(), ben.next()]);
      await sleep("Room", "blue");
      const { code, reason, wasClean } = await ann.close(4002, "had enough");
      assertEquals([code, reason, wasClean], [4002, "had enough", true]);
      await until(async () => (await text("/room/blue/notes")).includes("close ann"), "ann's end is noted");
      await sleep("Room", "blue");
      assertEquals(await text("/room/blue/publish/news"), "1");
      assertEquals(await ben.next(), "news");
      ben.socket.send("close");
      const closed = await ben.closed;
      assertEquals([closed.code, closed.reason], [4001, "as asked"]);
      await until(async () => (await text("/room/blue/notes")).includes("close ben"), "ben's end is noted");
      await sleep("Room", "blue");
      assertEquals(await text("/room/blue/size"), "0");
      assertEquals(JSON.parse(await text("/room/blue/notes")), [
        "open ann",
        "open ben",
        "close ann 4002 had enough",
        "close ben 4001 as asked",
      ]);
    });
  },
);

Deno.test("a client that vanishes while the object sleeps closes with 1006", WORKERD, async () => {
  await withRooms(async ({ origin, sleep, text }) => {
    const socket = await RawSocket.open(origin, "/room/blue/talk/ann");
    await until(async () => await text("/room/blue/size") === "1", "one is left");
    await sleep("Room", "blue");
    socket[Symbol.dispose]();
    await until(async () => (await text("/room/blue/notes")).includes("close"), "the end is noted");
    assertMatch(await text("/room/blue/notes"), /^\["open ann","close ann 1006 [^"]*"\]$/);
    assertEquals(await text("/room/blue/size"), "0");
  });
});

Deno.test("routes with the same path are told apart by where they were registered", WORKERD, async () => {
  await withRooms(async ({ connect, sleep }) => {
    const paths = {
      router: "/room/blue/router/same/7?q=1",
      app: "/room/in/app/same/7?q=1",
      group: "/room/blue/group/same/7",
    };
    for (const [name, path] of Object.entries(paths)) {
      const object = name === "app" ? "in" : "blue";
      const client = await connect(path);
      const before = String(await client.say("x"));
      assertEquals(before.split(" ")[0], name);
      await sleep("Room", object);
      const after = String(await client.say("x"));
      const born = (text: string) => told(text.slice(text.indexOf(" "))).born;
      assertNotEquals(born(after), born(before));
      assertEquals(after.replace(born(after), ""), before.replace(born(before), ""));
    }
  });
});

Deno.test("a value on ws.data that cannot be stored is an error of the handler that set it", WORKERD, async () => {
  await withRooms(async ({ connect, sleep }) => {
    const careful = await connect("/room/blue/careful");
    // the handler itself had replied
    assertEquals(await careful.say("function"), "done");
    assertMatch(String(await careful.next()), /^TypeError: ws\.data\.callback cannot be kept .*\(.+\); keep values/s);
    await sleep("Room", "blue");
    assertEquals(await careful.say("x"), "done");
    const ann = await connect("/room/blue/talk/ann");
    await ann.next();
    assertEquals(await ann.say("symbol"), "done");
    ann.socket.send("function");
    assertEquals((await ann.closed).code, 1011);
  });
});

Deno.test("ws.data has room for 16 KiB, and the longest headers are dropped to make room", WORKERD, async () => {
  await withRooms(async ({ connect, sleep }) => {
    const headers = { "cookie": `long=${"c".repeat(7000)}`, "x-short": "kept" };
    const ann = await connect("/room/blue/talk/ann", { headers });
    await ann.next();
    await sleep("Room", "blue");
    const fits = told(await ann.say("describe"));
    assertEquals(fits.request["cookies"], { long: "c".repeat(7000) });
    assertEquals(await ann.say("large 12000"), "done");
    await sleep("Room", "blue");
    const crowded = told(await ann.say("describe"));
    assertEquals(crowded.request["cookies"], {});
    assertEquals(crowded.own["large"], "x".repeat(12_000));
    assertEquals(crowded.inside["short"], "kept");
    ann.socket.send("large 17000");
    assertEquals((await ann.closed).code, 1011);
  });
});

Deno.test("the headers to keep can be named, and pings can be answered while the object sleeps", WORKERD, async () => {
  await withRooms(async ({ connect, sleep, text }) => {
    const ann = await connect("/quiet/blue/talk/ann", { headers: { "cookie": "a=1", "x-short": "left out" } });
    await ann.next();
    assertEquals(await ann.say("ping"), "pong");
    await sleep("QuietRoom", "blue");
    assertEquals(await ann.say("ping"), "pong");
    // the object must still be asleep: had the ping woken it, this would start its third life
    await sleep("QuietRoom", "blue").catch(() => {});
    assertEquals(await text("/quiet/blue/lives"), "2");
    const { request, inside } = told(await ann.say("describe"));
    assertEquals([request["cookies"], inside["short"]], [{ a: "1" }, undefined]);
  });
});

Deno.test("an error in a handler also closes with 1011 after a sleep", WORKERD, async () => {
  await withRooms(async ({ connect, sleep, text }) => {
    const ann = await connect("/room/blue/talk/ann");
    await ann.next();
    await sleep("Room", "blue");
    ann.socket.send("throw");
    assertEquals((await ann.closed).code, 1011);
    await until(async () => (await text("/room/blue/notes")).includes("close ann 1011"), "the failure is noted");
  });
});

Deno.test("objects may not share an application", WORKERD, async () => {
  await withRooms(async ({ text }) => {
    assertEquals(await text("/shared/one/x"), "shared");
    assertMatch(await text("/shared/two/x"), /an application that another object has/);
  });
});

Deno.test("the class may extend the user's own, whose methods can be called from other Workers", WORKERD, async () => {
  const main = `
    import { DurableObject } from "cloudflare:workers";
    import { roomOf } from "./program.js";
    export class Room extends roomOf({ base: DurableObject }) {
      announce(text) {
        return [this.app.connections.publish("all", text), typeof this.env, typeof this.ctx.storage];
      }
    }
    export default {
      async fetch(request, { room }) {
        const stub = room.get(room.idFromName("blue"));
        const { pathname } = new URL(request.url);
        return pathname === "/announce" ? Response.json(await stub.announce("hear")) : await stub.fetch(request);
      },
    };`;
  const program = "tests/workers/programs/rooms.ts";
  await withWorker(program, { main, objects: { room: "Room" } }, async ({ connect, sleep, text }) => {
    const ann = await connect("/blue/talk/ann");
    await ann.next();
    await sleep("Room", "blue");
    assertEquals(await text("/announce"), '[1,"object","object"]');
    assertEquals(await ann.next(), "hear");
  });
});

Deno.test("a Worker that asks an object for a WebSocket with the Upgrade header alone gets it", WORKERD, async () => {
  const main = `
    export { Room } from "./program.js";
    export default {
      async fetch(_request, { room }) {
        const stub = room.get(room.idFromName("blue"));
        const answer = await stub.fetch("http://object/blue/talk/ann", { headers: { upgrade: "websocket" } });
        const { status, webSocket } = answer;
        if (webSocket === null) return new Response(status + " " + await answer.text());
        webSocket.accept();
        const first = await new Promise((resolve) => webSocket.addEventListener("message", resolve, { once: true }));
        return new Response(status + " " + first.data);
      },
    };`;
  await withWorker("tests/workers/programs/rooms.ts", { main, objects: { room: "Room" } }, async ({ text }) => {
    assertEquals(await text("/"), "101 open");
  });
});
