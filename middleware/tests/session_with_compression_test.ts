import sluice, { type FrameworkApp, type Response as SluiceResponse } from "@sluice/sluice";
import { compress } from "@sluice/middleware/compress";
import { MemorySessionStore, session, type SetSessionOptions } from "@sluice/middleware/session";
import { assertEquals } from "@std/assert";
import compression from "compression";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

const CHUNK = new TextEncoder().encode("0123456789abcdef".repeat(8 * 1024));
const CHUNKS = 18;

const DECODERS: Record<string, (bytes: Uint8Array) => Uint8Array> = { br: brotliDecompressSync, gzip: gunzipSync };

// deno-lint-ignore no-explicit-any -- typed for Express
const COMPRESSIONS: Record<string, () => any> = {
  "compress": () => compress(),
  "npm's compression": () => compression(),
};

async function* chunks(): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < CHUNKS; i++) yield await Promise.resolve(CHUNK);
}

/** Ways to write more than a session holds while it waits for its store. */
const WAYS: Record<string, (res: SluiceResponse) => unknown> = {
  "a writer that waits for drain": async (res) => {
    for await (const chunk of chunks()) {
      if (!res.write(chunk)) await new Promise<void>((resolve) => res.once("drain", resolve));
    }
    res.end();
  },
  "a pipe": (res) => void Readable.from(chunks()).pipe(res as unknown as NodeJS.WritableStream),
  "a pipeline": (res) => pipeline(chunks(), res as unknown as NodeJS.WritableStream),
  "res.send of a stream": (res) => res.send(ReadableStream.from(chunks())),
};

/** A store that writes only when the response has written more than is held. */
class WaitingStore extends MemorySessionStore {
  #full = Promise.withResolvers<void>();

  /** Lets the store go on. */
  noteFull(): void {
    this.#full.resolve();
  }

  override async set(id: string, content: string, options: SetSessionOptions): Promise<boolean> {
    await this.#full.promise;
    return await super.set(id, content, options);
  }
}

/** An application whose session waits until the handler was asked to wait. */
function waitingApp(respond: (res: SluiceResponse) => unknown, order: (sessions: Handler) => Handler[]): FrameworkApp {
  const store = new WaitingStore();
  const app = sluice();
  app.use(...order(session({ store }) as Handler));
  app.get("/", (req, res) => {
    req.session.user = 1;
    const { end, write } = res;
    res.write = (...args: Parameters<typeof write>) => {
      const hasRoom = write.apply(res, args);
      if (!hasRoom) store.noteFull();
      return hasRoom;
    };
    res.end = (...args: Parameters<typeof end>) => {
      store.noteFull();
      return end.apply(res, args);
    };
    res.type("text");
    return respond(res) as undefined;
  });
  return app;
}

// deno-lint-ignore no-explicit-any -- middleware for both
type Handler = any;

// reads the session, so that it stands inside what is registered after it
const begin: Handler = (req: { session: unknown }, _res: unknown, next: () => void) => (void req.session, next());

for (const [compressed, make] of Object.entries(COMPRESSIONS)) {
  for (const [way, respond] of Object.entries(WAYS)) {
    for (const coding of Object.keys(DECODERS)) {
      const orders = {
        "behind": (sessions: Handler) => [make(), sessions],
        "in front of": (sessions: Handler) => [sessions, begin, make()],
      };
      for (const [where, order] of Object.entries(orders)) {
        Deno.test(`${way} ends with a slow session ${where} ${compressed} in ${coding}`, async () => {
          const app = waitingApp(respond, order);
          const response = await app.inject("/", { headers: { "accept-encoding": coding } });
          assertEquals([response.headers.get("content-encoding"), response.headers.getSetCookie().length], [coding, 1]);
          const body = DECODERS[coding]!(await response.bytes());
          assertEquals(body.length, CHUNKS * CHUNK.length);
        });
      }
    }
  }
}
