import { linesOf } from "../../scripts/lines.ts";

/**
 * The other side of a `Child`: reports that it is ready, then responds to each line with a line.
 *
 * @param response Responds to one request
 */
export async function answerRounds(response: (question: string) => unknown): Promise<void> {
  const say = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
  say("ready");
  for await (const line of linesOf(Deno.stdin.readable)) say(JSON.stringify(await response(line)));
  Deno.exit(0);
}
