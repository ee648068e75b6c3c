import { assertEquals } from "@std/assert";
import { type Chapter, chapter, json, text } from "../case.ts";
import { until } from "../../support/until.ts";

/** Server-sent events from `@sluice/middleware/sse`. */
export const events: Chapter = chapter("Server-sent events", (it) => {
  it("a source is sent to its end, from where the client was", async ({ ask }) => {
    assertEquals(
      await text(ask, "/events/source", { headers: { "last-event-id": "1" } }),
      [2, 3].map((id) => {
        return `id: ${id}\ndata: {"id":${id}}\n\n`;
      }).join(""),
    );
  });

  it(
    "events come as they are sent, and the stream closes when the client leaves",
    async ({ ask, flag }) => {
      const response = await ask(`/events/endless?flag=${flag}`);
      assertEquals(response.headers.get("content-type"), "text/event-stream");
      const reader = response.body!.getReader();
      assertEquals(new TextDecoder().decode((await reader.read()).value).startsWith("data: tick\n\n"), true);
      await reader.cancel();
      await until(async () => await json(ask, `/events/left/${flag}`) === true, "the stream was closed");
    },
    "pieces",
    "cancel",
  );
});
