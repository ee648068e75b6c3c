/** Runs the command that replays logs. */
import { fileURLToPath } from "node:url";
import { packageFlags } from "../../../tests/support/node_program.ts";
import { PATIENCE_MS } from "../../../tests/support/patience.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** The command's exit code and output. */
export interface Ended {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/**
 * Runs `simulate` in a temporary folder with some files.
 *
 * @param files File contents by name
 * @param args Arguments
 * @param input Standard input
 * @returns Exit code and output, and the file `page.html` if it wrote one
 */
export async function simulate(
  files: Readonly<Record<string, string | Uint8Array>>,
  args: readonly string[],
  input?: string,
): Promise<Ended & { readonly page: string }> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-simulate-" });
  try {
    for (const [name, content] of Object.entries(files)) {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      await Deno.writeFile(`${folder}/${name}`, bytes);
    }
    const flags = ["run", "-A", "--quiet", "--no-check", ...await packageFlags("simulate")];
    const child = new Deno.Command(Deno.execPath(), {
      args: [...flags, `${ROOT}advanced/simulate.ts`, ...args],
      cwd: folder,
      env: { NO_COLOR: "1" },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      signal: AbortSignal.timeout(PATIENCE_MS),
    }).spawn();
    const writer = child.stdin.getWriter();
    if (input !== undefined) await writer.write(new TextEncoder().encode(input));
    await writer.close();
    const { code, stdout, stderr } = await child.output();
    const page = await Deno.readTextFile(`${folder}/page.html`).catch(() => "");
    return { code, output: new TextDecoder().decode(stdout), errors: new TextDecoder().decode(stderr), page };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A request in a generated log. */
export interface Hit {
  /** Time in whole seconds since 1970. */
  readonly second: number;
  readonly address: string;
  readonly method: string;
  readonly path: string;
}

/** A line in the combined log format. */
export function combinedLine({ second, address, method, path }: Hit): string {
  const [, day, month, year, time] = /, (\d\d) (\w+) (\d+) (\S+)/.exec(new Date(second * 1000).toUTCString())!;
  return `${address} - - [${day}/${month}/${year}:${time} +0000] "${method} ${path} HTTP/1.1" 200 12 "-" "a \\"browser\\""`;
}
