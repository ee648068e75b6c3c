import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { createApp } from "./app.ts";

/** Joins a room, and returns functions to talk there. */
async function join(port: number, room: string) {
  const socket = new WebSocket(`ws://localhost:${port}/rooms/${room}`);
  const messages: string[] = [];
  socket.addEventListener("message", ({ data }) => messages.push(data));
  await once(socket, "open");
  const heard = async (count: number) => {
    while (messages.length < count) await once(socket, "message");
    return messages;
  };
  return { say: (text: string) => socket.send(text), heard };
}

test("all in a room hear each other, and nobody else", async () => {
  const app = createApp();
  const server = app.listen(0);
  await once(server, "listening");
  try {
    const [ann, bob, eve] = await Promise.all(["tea", "tea", "coffee"].map((room) => join(server.port, room)));
    ann!.say("Hello, Bob");
    eve!.say("Is anybody there?");
    assert.deepEqual(await ann!.heard(1), ["Hello, Bob"]);
    assert.deepEqual(await bob!.heard(1), ["Hello, Bob"]);
    assert.deepEqual(await eve!.heard(1), ["Is anybody there?"]);
  } finally {
    await app.close({ timeoutMs: 1000 });
  }
});

test("the page is a file", async () => {
  const response = await createApp().handle(new Request("http://localhost/"));
  assert.match(await response.text(), /new WebSocket/);
});
