import { assertEquals } from "@std/assert";
import { type Ask, CASE_PATIENCE_MS, type Chapter, chapter, json, text } from "../case.ts";
import { SocketClient } from "../socket_client.ts";

/** Waits for this many reported errors, and returns them. */
async function reported(ask: Ask, flag: string, count = 1): Promise<unknown> {
  const late = Date.now() + CASE_PATIENCE_MS;
  for (;;) {
    const notes = await json(ask, `/error-notes/${flag}`) as unknown[];
    if (notes.length >= count) return notes;
    if (Date.now() > late) throw new Error(`Only ${notes.length} of ${count} errors: ${JSON.stringify(notes)}`);
    // in process, timers would never run between two responses
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

/** Whether a response is cut off or, where it is sent whole, not sent at all. */
async function isBroken(ask: Ask, path: string): Promise<boolean> {
  try {
    const response = await ask(path);
    await response.arrayBuffer();
    return response.status >= 500;
  } catch {
    return true;
  }
}

/** A second error in the same place shows that the first is reported once. */
async function brokenTwice(ask: Ask, path: string, flag: string): Promise<unknown> {
  for (let count = 1; count <= 2; count++) {
    await isBroken(ask, `/unseen${path}?flag=${flag}`);
    await reported(ask, flag, count);
  }
  return await reported(ask, flag);
}

/** Sends two requests that get a complete response. */
async function sentTwice(ask: Ask, path: string, flag: string): Promise<unknown> {
  const sent = [await text(ask, `/unseen${path}?flag=${flag}`)];
  await reported(ask, flag);
  sent.push(await text(ask, `/unseen${path}?flag=${flag}`));
  return [sent, await reported(ask, flag, 2)];
}

function twice(note: string): string[] {
  return [note, note];
}

export const unseen: Chapter = chapter("Errors that reach no handler", (it) => {
  for (const [type, shown] of [["none", "no type"], ["text", "a text"], ["bytes", "any bytes"]] as const) {
    it(`a returned stream of ${shown} that fails is reported once`, async ({ ask, flag }) => {
      const path = `/returned/${type}`;
      assertEquals(await brokenTwice(ask, path, flag), twice(`response: the stream in /unseen${path}`));
    });
  }

  for (const path of ["/sent", "/iterated"]) {
    it(`a body that fails while it is ${path.slice(1)} is reported once`, async ({ ask, flag }) => {
      assertEquals(await brokenTwice(ask, path, flag), twice(`response: the stream in /unseen${path}`));
    });
  }

  it("a source that fails while it is piped is reported once", async ({ ask, flag }) => {
    assertEquals(await brokenTwice(ask, "/piped", flag), twice("response: the source in /unseen/piped"));
  });

  it("the client of a body that fails does not take it for a complete one", async ({ ask }) => {
    for (const path of ["/returned/none", "/returned/text", "/returned/bytes", "/sent", "/iterated", "/piped"]) {
      assertEquals([path, await isBroken(ask, `/unseen${path}`)], [path, true]);
    }
  }, "cut");

  it("a failure after the response is reported", async ({ ask, flag }) => {
    assertEquals(await sentTwice(ask, "/background", flag), [
      twice("sent"),
      twice("background: the work in /unseen/background"),
    ]);
  });

  it("the rejection of a handler that has answered is reported", async ({ ask, flag }) => {
    assertEquals(await sentTwice(ask, "/late", flag), [
      twice("sent"),
      twice("handler: after the answer in /unseen/late"),
    ]);
  });

  it("the errors of listeners and callbacks are reported, and end nothing", async ({ ask, flag }) => {
    for (
      const [path, what] of [
        ["/finish", "the listener"],
        ["/finish-later", "the listener's promise"],
        ["/end", "the callback"],
      ]
    ) {
      const own = `${flag}-${path!.slice(1)}`;
      assertEquals(await sentTwice(ask, path!, own), [twice("sent"), twice(`listener: ${what} in /unseen${path}`)]);
    }
  });

  it("an error that no error handler took is reported, and one that was handled is not", async ({ ask, flag }) => {
    assertEquals(await text(ask, `/unseen/handled?flag=${flag}`), "handled");
    assertEquals((await ask(`/unseen/unhandled?flag=${flag}`)).status, 500);
    assertEquals(await reported(ask, flag), ["handler: nobody's in /unseen/unhandled"]);
  });

  it("the error of a WebSocket's handler is reported, and closes the connection", async ({ ask, origin, flag }) => {
    await using client = new SocketClient(origin, `/unseen/socket?flag=${flag}`);
    await client.send("anything");
    assertEquals((await client.closed).code, 1011);
    assertEquals(await reported(ask, flag), ["websocket: the socket's handler in /unseen/socket"]);
  }, "websocket");
});
