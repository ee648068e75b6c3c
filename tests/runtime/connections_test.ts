/** Connection properties that requests report, on every runtime that listens. */
import { assertEquals } from "@std/assert";
import { run } from "../../scripts/process.ts";
import { LISTENING_RUNTIMES } from "../support/listening_runtimes.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const ENDS = {
  localAddress: "127.0.0.1",
  localFamily: "IPv4",
  remoteAddress: "127.0.0.1",
  remoteFamily: "IPv4",
  address: { address: "127.0.0.1", family: "IPv4", port: 0 },
};

/** Only Node reports these errors, as docs/express-differences.md documents. */
const TRAILERS = {
  Node: {
    trailers: { "x-one": "1, 2" },
    rawTrailers: ["X-One", "1", "X-One", "2"],
    trailersDistinct: { "x-one": ["1", "2"] },
  },
  Deno: { trailers: {}, rawTrailers: [], trailersDistinct: {} },
  // its server rejects them
  Bun: undefined,
};

/** The socket error code for a client that has sent invalid HTTP. */
const BROKEN = { Node: "HPE_INVALID_CHUNK_SIZE", Deno: "ECONNRESET", Bun: "ECONNRESET" };

for (const { name, ignore, command } of LISTENING_RUNTIMES) {
  Deno.test(`on ${name}, a request knows both ends of its connection, and a client that breaks the protocol`, {
    ignore,
  }, async () => {
    const [program, ...args] = await command("tests/fixtures/connections.ts");
    const { output } = await run(program, args, { limitMs: PATIENCE_MS, quiet: true });
    const { ends, port, statuses, trailers, broken, first, paused } = JSON.parse(
      output.slice(output.indexOf('{"')).split("\n")[0]!,
    );
    assertEquals([ends, port, statuses[0]], [ENDS, true, "200"]);
    assertEquals([trailers, statuses[1]], [TRAILERS[name], name === "Bun" ? "400" : "200"]);
    assertEquals(broken.toSorted(), ["aborted undefined", "error ECONNRESET", `socket ${BROKEN[name]}`]);
    assertEquals(paused.toSorted(), ["aborted undefined", "error ECONNRESET"]);
    const all = ["aborted undefined", "error ECONNRESET", "socket HPE_INVALID_CHUNK_SIZE"];
    // the preceding request on the same connection
    assertEquals(first?.toSorted(), name === "Node" ? all : undefined);
  });
}
