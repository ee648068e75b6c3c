import { assertEquals } from "@std/assert";
import { type Ask, type Chapter, chapter, flagged, json, text } from "../case.ts";
import { PATIENCE_MS } from "../../support/patience.ts";

/** Reads the first chunk, then lets the program continue, and returns that chunk and the rest. */
async function inPieces(ask: Ask, path: string, flag: string): Promise<string[]> {
  const response = await ask(`${path}?flag=${flag}`);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const first = await reader.read();
  await ask(`/flags/${flag}`, { method: "POST" });
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return [first.value!, rest];
    rest += value;
  }
}

/** Reads a body that is expected to fail, and returns the data received before the failure. */
async function untilCut(response: Response): Promise<string> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) text += read.value;
  } catch {
    return text;
  }
  throw new Error(`the body ended as if it were complete: ${text}`);
}

/** Uploads a chunk, waits until the program has seen it, and uploads the last chunk. */
async function uploaded(ask: Ask, path: string, flag: string): Promise<unknown> {
  const pieces = (async function* () {
    yield new Uint8Array(1000);
    await flagged(ask, flag, 1000);
    yield new Uint8Array(24);
  })();
  return await json(ask, `${path}?flag=${flag}`, { method: "POST", body: ReadableStream.from(pieces) });
}

/** Uploads a chunk, waits until the program has seen it, and disconnects. */
async function leaveUpload(ask: Ask, path: string, flag: string): Promise<void> {
  const leaving = new AbortController();
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1000)) });
  const asked = ask(`${path}?flag=${flag}`, { method: "POST", body, signal: leaving.signal });
  await flagged(ask, flag, 1000);
  leaving.abort();
  await asked.catch(() => {});
}

export const streams: Chapter = chapter("Streams", (it) => {
  it("what is written arrives before the end", async ({ ask, flag }) => {
    assertEquals(await inPieces(ask, "/stream/written", flag), ["first ", "second last"]);
  }, "pieces");

  it("a returned web stream arrives in pieces", async ({ ask, flag }) => {
    assertEquals(await inPieces(ask, "/stream/web", flag), ["first ", "last"]);
  }, "pieces");

  it(
    "the head of a streamed response arrives before its first chunk",
    async ({ ask, flag }) => {
      for (const path of ["/stream/quiet", "/stream/quiet-web"]) {
        const response = await ask(`${path}?flag=${flag}${path}`, { signal: AbortSignal.timeout(PATIENCE_MS) });
        await ask(`/flags/${encodeURIComponent(flag + path)}`, { method: "POST" });
        assertEquals(await response.text(), "at last");
      }
    },
    "pieces",
    "head",
  );

  it("a large streamed response arrives complete", async ({ ask }) => {
    assertEquals((await (await ask("/stream/large")).bytes()).length, 64 * 64 * 1024);
  });

  for (const how of ["sent", "thrown", "soon-thrown", "late-thrown", "destroyed", "late-destroyed"]) {
    it(
      `what was written before an answer failed arrives, and then the client sees that it was cut: ${how}`,
      async ({ ask }) => {
        const response = await ask(`/stream/failing/${how}`);
        assertEquals([response.status, await untilCut(response)], [200, "written"]);
      },
      "pieces",
      "cut",
    );
  }

  it("HEAD of a streamed response has no body and ends", async ({ ask, flag }) => {
    await ask(`/flags/${flag}`, { method: "POST" });
    assertEquals(await text(ask, `/stream/written?flag=${flag}`, { method: "HEAD" }), "");
  });

  it("HEAD of a streamed answer has the length that was set, or none if none is known", async ({ ask }) => {
    const lengthOf = async (path: string) => (await ask(path, { method: "HEAD" })).headers.get("content-length");
    assertEquals([await lengthOf("/stream/sized"), await lengthOf("/stream/large")], ["6", null]);
  }, "length");

  it("HEAD of an answer that never ends is completed, and its handler is told so", async ({ ask, flag }) => {
    await text(ask, `/stream/endless?flag=${flag}`, { method: "HEAD" });
    await flagged(ask, `${flag}-closed`);
  });

  it("an upload is read while it arrives, through Node's events", async ({ ask, flag }) => {
    assertEquals(await uploaded(ask, "/upload/events", flag), { length: 1024 });
  }, "upload");

  it("an upload is read while it arrives, through the web stream", async ({ ask, flag }) => {
    assertEquals(await uploaded(ask, "/upload/web", flag), { length: 1024 });
  }, "upload");

  it("a large upload arrives complete", async ({ ask, flag }) => {
    const body = new Uint8Array(3_000_000);
    assertEquals(await json(ask, `/upload/web?flag=${flag}`, { method: "POST", body }), { length: 3_000_000 });
  });

  it("an unread upload does not delay the response", async ({ ask }) => {
    const init = { method: "POST", body: new Uint8Array(200_000) };
    assertEquals(await text(ask, "/upload/ignored", init), "not read");
    assertEquals(await text(ask, "/"), "home");
  });

  for (const how of ["flowing", "data", "soon", "late", "answered", "unread"]) {
    it(`a request emits end once, and then close, whatever comes in between: ${how}`, async ({ ask, flag }) => {
      for (const init of [{}, { method: "POST", body: "abc" }, { method: "POST" }]) {
        const name = `${flag}-${init.method}-${init.body}`;
        assertEquals(await text(ask, `/ends/${how}?flag=${name}`, init), "answered");
        await flagged(ask, encodeURIComponent(`${name}-end false true close`));
      }
    });
  }

  for (const where of ["listener", "late-listener", "promise", "middleware"]) {
    it(`the request can still be read after the answer: ${where}`, async ({ ask, flag, lacks }) => {
      const init = { method: "POST", headers: { "x-told": "kept" } };
      assertEquals(await text(ask, `/afterwards/${where}?flag=${flag}`, init), "answered");
      await flagged(ask, `${flag}-kept-kept`);
      if (lacks("peer") === undefined) await flagged(ask, `${flag}-127.0.0.1`);
    });
  }

  it(
    "a client that disconnects in the middle of an upload ends only its own request",
    async ({ ask, flag }) => {
      await leaveUpload(ask, "/upload/events", flag);
      for (let i = 0; i < 10; i++) assertEquals(await text(ask, "/"), "home");
    },
    "upload",
    "abort",
  );

  it(
    "a client that disconnects in the middle of an upload aborts it: the request is destroyed and not complete",
    async ({ ask, flag }) => {
      await leaveUpload(ask, "/upload/left", flag);
      await flagged(ask, `${flag}-aborted-incomplete`);
      await flagged(ask, `${flag}-aborted-ECONNRESET-open`);
      await flagged(ask, `${flag}-closed-false-true`);
    },
    "upload",
    "abort",
  );

  it("a disconnect aborts req.signal and closes res and its socket", async ({ ask, depart, flag }) => {
    await depart(`/leave/waiting?flag=${flag}`, () => flagged(ask, `${flag}-arrived`));
    await flagged(ask, `${flag}-aborted`);
    await flagged(ask, `${flag}-closed`);
    await flagged(ask, `${flag}-disconnected`);
  }, "abort");

  it("a disconnect in mid-stream cancels the stream", async ({ ask, flag }) => {
    const controller = new AbortController();
    const response = await ask(`/leave/streaming?flag=${flag}`, { signal: controller.signal });
    const reader = response.body!.getReader();
    await reader.read();
    // in process, there is no connection to close
    await reader.cancel();
    controller.abort();
    await flagged(ask, `${flag}-cancelled`);
  }, "cancel");
});
