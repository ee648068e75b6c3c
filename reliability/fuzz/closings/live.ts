/** Runs one life, and checks every promise that closing makes. */
import process from "node:process";
import { passed } from "../../support/passed.ts";
import type { Wrong } from "../fuzzer.ts";
import { Client } from "./client.ts";
import { Closing, type Opened } from "./closing.ts";
import type { Action, CloseAction, Life, StopAction, VisitAction } from "./life.ts";
import { buildTarget, type Seen, type Target } from "./target.ts";
import { wrongClosing, wrongVisit } from "./rules.ts";
import { within } from "./within.ts";

/** A client and the server it visits. */
export interface Visit {
  readonly action: VisitAction;
  readonly client: Client;
  readonly opened: Opened;
}

/** Time limit for what must happen by itself, in ms. */
const PATIENCE_MS = 5000;

/** Time limit of the last closing in ms: it cuts what would never end. */
const LAST_MS = 300;

let lives = 0;

/**
 * Runs a life on its own application.
 *
 * @param life The actions
 * @returns What went wrong first
 */
export async function live(life: Life): Promise<Wrong | undefined> {
  const one = new Living();
  try {
    for (const action of life) await one.act(action);
    return await one.finish();
  } finally {
    one.drop();
  }
}

class Living {
  readonly #life = lives++;
  readonly #target: Target = buildTarget(this.#life, process.env["PLANTED_FAULT"]);
  readonly #servers: Opened[] = [];
  readonly #visits: Visit[] = [];
  readonly #closings: Closing[] = [];
  /** Closings of single servers, and of the application in the router. */
  readonly #inner: Closing[] = [];
  /** Further promises of `app.close`. */
  readonly #others: Promise<unknown>[] = [];
  /** The closing that another call joins. */
  #current: Closing | undefined;
  readonly #told = { closing: 0, close: 0 };
  #wrong: Wrong | undefined;

  constructor() {
    const { own } = this.#target.apps;
    own.on("closing", () => this.#told.closing++);
    own.on("close", () => this.#told.close++);
  }

  async act(action: Action): Promise<void> {
    if (action.does === "listen") this.#listen();
    else if (action.does === "wait") await passed(action.ms);
    else if (action.does === "close") this.#close(action);
    else if (action.does === "stop") this.#stop(action);
    else await this.#visit(action);
  }

  #listen(): void {
    const server = this.#target.apps.own.listen({ port: 0, hostname: "127.0.0.1" });
    const port = new Promise<number | undefined>((resolve) => {
      server.once("listening", () => resolve(server.address()?.port));
      server.once("close", () => resolve(undefined));
    });
    this.#servers.push({ server, port, closings: [] });
    this.#current = undefined;
  }

  #close(action: CloseAction): void {
    const { app, does: _, ...options } = action;
    if (app !== "own") {
      this.#others.push(this.#target.apps[app].close(options));
      // as it does not listen, this ends its WebSockets only; one mounted in an application leaves them to that one
      if (app === "router") this.#inner.push(new Closing([], action));
      return;
    }
    const { own } = this.#target.apps;
    const joined = own.isClosing ? this.#current : undefined;
    const open = this.#servers.filter(({ closings }) => closings.every(({ settledAt }) => settledAt === undefined));
    if (joined === undefined) {
      this.#current = new Closing(open, action);
      this.#closings.push(this.#current);
    } else joined.join(action);
    const closing = this.#current!;
    const settled = own.close(options).then(() => this.#settle(closing));
    this.#others.push(settled);
    if (!own.isClosing) this.#note("isClosing is false after close", "");
  }

  #stop({ server, cuts }: StopAction): void {
    const opened = this.#servers.at(-1 - server);
    const isClosing = this.#servers.some(({ closings }) => closings.some(({ settledAt }) => settledAt === undefined));
    if (opened === undefined || opened.closings.length > 0 || isClosing) return;
    // closing the last server closes the application
    const isLast = this.#servers.every((other) => other === opened || other.closings.length > 0);
    const closing = new Closing([opened], cuts ? { timeoutMs: 0 } : {});
    if (isLast) this.#closings.push(this.#current = closing);
    else this.#inner.push(closing);
    if (cuts) opened.server.closeAllConnections();
    const settled = cuts ? opened.server.finished : opened.server.close();
    this.#others.push(settled.then(() => this.#settle(closing)));
  }

  #settle(closing: Closing): void {
    if (closing.settledAt !== undefined) return;
    closing.settledAt = performance.now();
    const { settledAt } = closing;
    for (const { action, client, opened } of this.#visits) {
      const seen = this.#target.seen.get(client.id);
      // a server may not notice at once that a client has left
      if (seen === undefined || !closing.servers.includes(opened) || action.leavesMs !== undefined) continue;
      if (opened.closings.some(({ cutsAt }) => cutsAt <= settledAt)) continue;
      if (seen.endedAt === undefined) this.#note(`it settles before a request ends: ${action.way}`, "");
      if (seen.workedAt === Infinity) this.#note("it settles before background work ends", "");
    }
  }

  async #visit(action: VisitAction): Promise<void> {
    const opened = this.#servers.at(-1 - action.server);
    // once it is closed, another program may have the port
    if (opened === undefined || opened.closings.some(({ settledAt }) => settledAt !== undefined)) return;
    const port = await opened.port;
    if (port === undefined) return;
    const client = new Client(port, action, this.#life, String(this.#visits.length));
    this.#visits.push({ action, client, opened });
    if (!action.isAwaited) return;
    const begun = () => this.#target.seen.has(client.id) || client.outcome.overAt < Infinity;
    if (!await until(begun)) this.#note(`a request does not begin: ${action.way}`, "");
  }

  /** Checks servers that are still open, closes everything, and checks that nothing is left. */
  async finish(): Promise<Wrong | undefined> {
    await this.#tryServers();
    this.#close({ does: "close", app: "own", timeoutMs: LAST_MS });
    await this.#end("a closing");
    // it works again afterwards
    this.#listen();
    await this.#tryServers();
    this.#close({ does: "close", app: "own" });
    await this.#end("the last closing");
    return this.#wrong ?? await this.#left();
  }

  async #tryServers(): Promise<void> {
    const open = this.#servers.filter(({ closings }) => closings.length === 0);
    for (const opened of open) {
      for (const way of ["now", "socket"] as const) {
        const action = { does: "visit", way, app: "own", server: 0, ms: 0, isAwaited: true } as const;
        await this.#visit({ ...action, server: this.#servers.length - 1 - this.#servers.indexOf(opened) });
        const { client } = this.#visits.at(-1)!;
        if (!await until(() => client.outcome.headAt < Infinity)) {
          this.#note(`an open server does not respond: ${way}`, "");
        }
      }
    }
  }

  async #end(what: string): Promise<void> {
    if (await within(PATIENCE_MS, Promise.all(this.#others)) === undefined) {
      this.#note(`${what} does not settle`, this.#shown());
    }
    const ended = Promise.all(this.#visits.map(({ client }) => client.ended));
    if (await within(PATIENCE_MS, ended) === undefined) {
      const { action } = this.#visits.find(({ client }) => client.isOpen)!;
      this.#note(`a connection stays open after ${what}: ${action.way}`, this.#shown());
    }
    const { seen, errors } = this.#target;
    const all = [...this.#closings, ...this.#inner];
    for (const visit of this.#visits) this.#wrong ??= wrongVisit(visit, seen.get(visit.client.id), all);
    for (const closing of all.filter(({ servers }) => servers.length > 0)) {
      this.#wrong ??= wrongClosing(closing, this.#visits, seen);
    }
    for (const name of ["closing", "close"] as const) {
      if (this.#told[name] === this.#closings.length) continue;
      this.#note(`"${name}" is not emitted once`, `${this.#told[name]} times in ${this.#closings.length} closings`);
    }
    if (errors.length > 0) this.#note(`an error is reported: ${errors[0]!.split("\n")[0]}`, errors[0]!);
  }

  async #left(): Promise<Wrong | undefined> {
    const { apps: { own }, seen } = this.#target;
    const open = () => this.#visits.find(({ client }) => isOpen(seen.get(client.id)));
    if (!await until(() => open() === undefined)) {
      return {
        kind: `a request does not end in the server: ${open()!.action.way}`,
        detail: JSON.stringify(open()!.client.outcome),
      };
    }
    const { server, isClosing, connections: { size } } = own;
    if (server === null && !isClosing && size === 0) return undefined;
    return { kind: "something is left", detail: JSON.stringify({ isListening: server !== null, isClosing, size }) };
  }

  #note(kind: string, detail: string): void {
    this.#wrong ??= { kind, detail };
  }

  #shown(): string {
    const open = this.#visits.filter(({ client }) => client.isOpen);
    return open.map(({ action, client }) => JSON.stringify({ ...action, ...client.outcome })).join("\n");
  }

  /** Ends the connections. */
  drop(): void {
    for (const { client } of this.#visits) client.drop();
  }
}

function isOpen(seen: Seen | undefined): boolean {
  return seen !== undefined && seen.endedAt === undefined;
}

async function until(holds: () => boolean): Promise<boolean> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end;) {
    if (holds()) return true;
    await passed(1);
  }
  return false;
}
