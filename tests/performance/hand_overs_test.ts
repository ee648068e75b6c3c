import { assert } from "@std/assert";
import { runOnNode } from "./run_program.ts";
import { skipNode } from "../support/node_program.ts";
import { isUnread, LEAVES, sourceOf } from "./source_of.ts";

/** Maximum number of calls and returns between rooms for one more `res.json` over `app.listen` on Node. */
const MOST = 44;

/** A function that ran, or continued after a call. */
interface Ran {
  readonly url: string;
  readonly line: number;
  readonly name: string;
}

function roomOf({ url, line, name }: Ran): string | null {
  if (!url.startsWith("file:") || isUnread(name)) return null;
  if (url.endsWith("_program.mjs")) return "the program";
  const source = sourceOf({ url, line });
  return source === undefined || LEAVES.test(source) ? null : source.split("/")[1]!;
}

Deno.test({
  name: "one more res.json over app.listen on Node is handed from room to room a few times",
  ignore: skipNode,
  async fn() {
    const ran = await runOnNode<Ran[]>("hand_overs_program.mjs");
    const rooms = ran.map(roomOf).filter((room) => room !== null);
    const visits = rooms.filter((room, i) => room !== rooms[i - 1]);
    for (const room of ["node", "dispatch", "exchange", "response", "the program"]) {
      assert(visits.includes(room), `${room} in ${visits.join(" ")}`);
    }
    assert(visits.length - 1 <= MOST, `${visits.length - 1} times: ${visits.join(" ")}`);
  },
});
