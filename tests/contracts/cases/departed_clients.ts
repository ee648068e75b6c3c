import { assertEquals } from "@std/assert";
import { type Ask, CASE_PATIENCE_MS, type Chapter, chapter, json } from "../case.ts";

/** Waits until the program's note under a flag differs from `before`. */
async function noted(ask: Ask, flag: string, before: unknown): Promise<unknown> {
  const late = Date.now() + CASE_PATIENCE_MS;
  for (;;) {
    const note = await json(ask, `/departed-notes/${flag}`);
    if (note !== before) return note;
    if (Date.now() > late) throw new Error(`The program has noted nothing but ${JSON.stringify(before)}`);
    // in process, timers would never run between two responses
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

/** The handler's view of the request. */
function found(path: string, mount: string, flag: string): Record<string, unknown> {
  return {
    get: "string",
    headers: "string",
    rawHeaders: true,
    cookies: {},
    accepts: "html",
    type: null,
    fresh: false,
    url: ["GET", `${path.slice(mount.length)}?a=1&flag=${flag}`, path.slice(mount.length), { how: "on" }, "1"],
    body: null,
    protocol: ["http", false, false],
    socket: ["boolean", true, []],
    answer: 201,
    write: false,
  };
}

/** Uploads a chunk, waits until the program has received the request, and disconnects. */
async function leaveUpload(ask: Ask, path: string, flag: string): Promise<void> {
  const leaving = new AbortController();
  let upload!: ReadableStreamDefaultController;
  const body = new ReadableStream({ start: (controller) => void (upload = controller).enqueue(new Uint8Array(1000)) });
  const asked = ask(`${path}?flag=${flag}`, { method: "POST", body, signal: leaving.signal });
  await noted(ask, flag, null);
  // in process, no connection would end
  upload.error(new Error("The client leaves"));
  leaving.abort();
  await asked.catch(() => {});
}

export const departedClients: Chapter = chapter("Clients that disconnect", (it) => {
  for (const [way, mount, is] of [["told", "/departed/told", "is"], ["untold", "", "is not"]] as const) {
    it(
      `a handler that ${is} notified of a disconnect keeps its request, and its response has no effect`,
      async ({ ask, depart, flag, lacks }) => {
        const path = `/departed/${way}/on`;
        await depart(`${path}?a=1&flag=${flag}`, async () => void await noted(ask, flag, null));
        await ask(`/departed-left/${flag}`, { method: "POST" });
        const { ip, ...seen } = await noted(ask, flag, "arrived") as Record<string, unknown>;
        assertEquals(seen, found(path, mount, flag));
        if (lacks("peer") === undefined) assertEquals(ip, "127.0.0.1");
      },
      "abort",
    );
  }

  for (const reader of ["text", "json", "bytes", "iterator"]) {
    it(
      `a client that disconnects in the middle of an upload fails its reader with ECONNRESET, and nothing is finished: ${reader}`,
      async ({ ask, flag }) => {
        await leaveUpload(ask, `/departed/body/${reader}`, flag);
        assertEquals(await noted(ask, flag, "arrived"), ["ECONNRESET", 400, "aborted"]);
      },
      "upload",
      "abort",
    );
  }
});
