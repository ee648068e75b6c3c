/** More requests than a process can serve in time, on every runtime with its own server. */
import { assert, assertEquals } from "@std/assert";
import { FAULT_SUBJECTS, type FaultServer, startFaultServer } from "../support/fault_servers.ts";
import { ask, opened, openedMany, readUntil } from "../support/raw_client.ts";
import { until } from "../support/until.ts";

/** Six seconds of work, requested all at once. */
const RUSH = 300;

const WORK = "GET /work HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

for (const { name, runtime } of FAULT_SUBJECTS.filter(({ fixture }) => fixture !== "served")) {
  Deno.test({
    name: `${runtime.name}: of a rush, what cannot be answered in time is refused, and then all is as before`,
    ignore: runtime.missing,
    async fn() {
      const server = await startFaultServer({ name, runtime, fixture: "overloaded" });
      try {
        const { admitted, refused } = await rush(server);
        assertEquals(admitted + refused, RUSH);
        assert(admitted > 0, "something has to be admitted");
        // without shedding, no request would be; before the loop counts as busy, at most a second of work is admitted
        assert(refused >= RUSH / 2, `only ${refused} of ${RUSH} were refused`);
        await until(async () => await ask(server, "/work") === "worked", "it works again");
        const figures = JSON.parse(await ask(server, "/figures"));
        assert(figures.refused.eventLoopDelay >= refused, JSON.stringify(figures));
      } finally {
        assertEquals(await server.stop(), "");
      }
    },
  });
}

async function rush(server: FaultServer): Promise<{ admitted: number; refused: number }> {
  const clients = await openedMany(server, RUSH, () => opened(server, WORK));
  const heads = await Promise.all(clients.map((client) => readUntil(client, "\r\n\r\n")));
  for (const client of clients) client.close();
  const count = (status: string) => heads.filter((head) => head.startsWith(`HTTP/1.1 ${status}`)).length;
  return { admitted: count("200"), refused: count("503") };
}
