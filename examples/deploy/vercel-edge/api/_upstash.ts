import type { RedisPort } from "@sluice/rate-limit";

/**
 * Redis over HTTPS, for runtimes without sockets.
 *
 * @param url Address of the database
 * @param token Access token
 */
export function upstash(url: string, token: string): RedisPort {
  async function send(...command: readonly (string | number)[]): Promise<unknown> {
    const answer = await fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(command),
    });
    const { result, error } = await answer.json() as { result?: unknown; error?: string };
    if (error !== undefined) throw new Error(error);
    return result;
  }
  return {
    evalsha: (sha, keys, args) => send("EVALSHA", sha, keys.length, ...keys, ...args),
    eval: (script, keys, args) => send("EVAL", script, keys.length, ...keys, ...args),
    async *scan(pattern) {
      let cursor = "0";
      do {
        const [next, found] = await send("SCAN", cursor, "MATCH", pattern) as [string, string[]];
        yield* found;
        cursor = next;
      } while (cursor !== "0");
    },
  };
}
