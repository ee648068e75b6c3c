import { fileURLToPath } from "node:url";

/** Markdown as `deno fmt` formats it, so a written page passes the gate. */
export async function formatted(markdown: string): Promise<string> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--quiet", "--ext=md", "-"],
    cwd: fileURLToPath(new URL("../../", import.meta.url)),
    stdin: "piped",
    stdout: "piped",
  });
  const child = command.spawn();
  const [{ stdout }] = await Promise.all([
    child.output(),
    ReadableStream.from([markdown]).pipeThrough(new TextEncoderStream()).pipeTo(child.stdin),
  ]);
  return new TextDecoder().decode(stdout);
}
