/** A reader who types a page's files, commands and requests. */
import { assert, assertEquals } from "@std/assert";
import { curl } from "../../pages/support/curl.ts";
import { isAsShown, requestsIn } from "../../pages/support/page_programs.ts";
import { PATIENCE_MS } from "../../support/patience.ts";
import type { BuiltBlock, BuiltTabs } from "./built_blocks.ts";

/** Time limit for an installation, in ms. */
const INSTALLING_MS = 4 * PATIENCE_MS;

/** The port on all pages; it is replaced. */
const PORT = /\b3000\b/g;

/** Options for a typist. */
export interface TypistOptions {
  /** Names of the tabs to open; each group uses the first tab it has. */
  readonly tabs: readonly string[];
  /** An empty folder, with a trailing slash. */
  readonly folder: string;
  /** Environment variables. */
  readonly env: Readonly<Record<string, string>>;
  /** The servers' port, instead of 3000: a port reserved for this run. */
  readonly port: number;
  /** Command that starts a page's program `main.ts` if the page shows none. */
  readonly start?: string;
}

/** Counts of typed files, commands, requests and outputs. */
export interface Typed {
  files: number;
  commands: number;
  requests: number;
  prints: number;
}

/** A started command. */
interface Running {
  readonly child: Deno.ChildProcess;
  readonly command: string;
  /** Resolves when it and all processes it started have ended. */
  ended: Promise<void>;
  /** Its exit code, once there is one. */
  code: number | undefined;
  printed: string;
  /** Called whenever it prints or ends. */
  changed: () => void;
}

/** Types pages, one after the other, into the same folder. */
export class Typist implements AsyncDisposable {
  readonly typed: Typed = { files: 0, commands: 0, requests: 0, prints: 0 };
  readonly #options: TypistOptions;
  readonly #jar = new Map<string, string>();
  #cwd: string;
  #running: Running | undefined;
  /** Whether a program has been written but not started. */
  #isWaiting = false;
  /** Whether the last command was for a different runtime. */
  #isElsewhere = false;

  constructor(options: TypistOptions) {
    this.#options = options;
    this.#cwd = options.folder;
  }

  /**
   * Types a page.
   *
   * @param blocks The page's blocks
   * @throws {Error} If a command fails, or a result differs from the page
   */
  async type(blocks: readonly (BuiltBlock | BuiltTabs)[]): Promise<void> {
    this.#isElsewhere = false;
    for (const block of blocks) {
      if ("tabs" in block) {
        const chosen = this.#options.tabs.map((name) => block.tabs.get(name)).find((one) => one !== undefined);
        this.#isElsewhere = chosen === undefined;
        if (chosen !== undefined) await this.#commands(chosen.code);
      } else if (block.path !== undefined) await this.#file(block.path, block);
      else if (block.language === "sh") await this.#shell(block.code);
      else if (block.language === "text") await this.#prints(block.code);
    }
    await this.#startWaiting();
    await this.stop();
  }

  /** Ends the running command. */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running === undefined || running.code !== undefined) return;
    // the shell and the processes it started
    Deno.kill(-running.child.pid, "SIGKILL");
    await running.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #file(path: string, { code }: BuiltBlock): Promise<void> {
    const isProgram = path === "main.ts";
    // the page has reached its next program
    if (isProgram) await this.#startWaiting();
    const file = new URL(path, `file://${this.#cwd}`);
    await Deno.mkdir(new URL(".", file), { recursive: true });
    await Deno.writeTextFile(file, this.#here(code));
    this.#isWaiting ||= isProgram;
    this.typed.files++;
  }

  async #shell(code: string): Promise<void> {
    const requests = requestsIn(this.#here(code));
    if (requests.length === 0) return await this.#commands(code);
    if (this.#isElsewhere) return;
    await this.#startWaiting();
    for (const { command, output } of requests) {
      const came = await curl(command, `http://localhost:${this.#options.port}`, output, this.#jar);
      assert(isAsShown(came, output), `${command}\n--- shown\n${output}\n--- came\n${came}\n${this.#running?.printed}`);
      this.typed.requests++;
    }
  }

  async #prints(shown: string): Promise<void> {
    if (this.#isElsewhere) return;
    await this.#startWaiting();
    const running = this.#running;
    assert(running !== undefined, `nothing runs that could print\n${shown}`);
    await this.#until(running, () => isAsShown(running.printed, this.#here(shown)), `print\n${shown}`);
    this.typed.prints++;
  }

  async #startWaiting(): Promise<void> {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    assert(this.#options.start !== undefined, "no page says how a program is started");
    await this.#commands(this.#options.start);
  }

  /** Types commands, and waits until they have ended or listen. */
  async #commands(code: string): Promise<void> {
    this.#isWaiting = false;
    await this.stop();
    const command = this.#here(code);
    const where = `${this.#options.folder}.cwd`;
    const child = new Deno.Command("sh", {
      args: ["-c", `set -e\n${command}\npwd > '${where}'`],
      cwd: this.#cwd,
      env: { ...this.#options.env },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      detached: true,
    }).spawn();
    const running: Running = {
      child,
      command,
      ended: Promise.resolve(),
      code: undefined,
      printed: "",
      changed: () => {},
    };
    this.#running = running;
    const streams = [child.stdout, child.stderr].map(async (stream) => {
      for await (const text of stream.pipeThrough(new TextDecoderStream())) {
        running.printed += text;
        running.changed();
      }
    });
    // all processes that hold them have also ended and no longer listen
    running.ended = Promise.all(streams).then(() => child.status).then(({ code }) => {
      running.code = code;
      running.changed();
    });
    await this.#ready(running);
    this.typed.commands++;
    if (running.code === undefined) return;
    assertEquals(running.code, 0, `${command}\n${running.printed}`);
    this.#cwd = `${(await Deno.readTextFile(where)).trimEnd()}/`;
  }

  /** Resolves when a command has ended, or its port is open. */
  async #ready(running: Running): Promise<void> {
    let listens = false;
    const asked = async () => {
      while (!listens && running.code === undefined && this.#running === running) {
        listens = await connects(this.#options.port);
        running.changed();
        if (!listens) await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    const asking = asked();
    await this.#until(running, () => listens || running.code !== undefined, "end or listen", INSTALLING_MS);
    await asking;
  }

  async #until(running: Running, isSo: () => boolean, what: string, limitMs: number = PATIENCE_MS): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const fail = () => reject(new Error(`${running.command}\ndid not ${what}\n--- it printed\n${running.printed}`));
    const late = setTimeout(fail, limitMs);
    running.changed = () => {
      if (isSo()) resolve();
      else if (running.code !== undefined) fail();
    };
    running.changed();
    await promise.finally(() => clearTimeout(late));
  }

  #here(text: string): string {
    return text.replaceAll(PORT, String(this.#options.port));
  }
}

async function connects(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "localhost", port })).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.ConnectionRefused) return false;
    throw error;
  }
}
