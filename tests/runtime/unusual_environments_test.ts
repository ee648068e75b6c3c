/**
 * A port in use, Node's request passed to fetch, likely mistakes, invalid second arguments to fetch, sockets without
 * addresses, and requests without a host.
 */
import { assertEquals, assertMatch } from "@std/assert";
import { BUN, DENO, FAULT_SUBJECTS, NODE, printed, startFaultServer } from "../support/fault_servers.ts";
import { opened, writeAll } from "../support/raw_client.ts";

for (const runtime of [DENO, BUN]) {
  Deno.test(`a port in use is an error for the callback, or thrown, with the address as on Node, on ${runtime.name}`, {
    ignore: runtime.missing,
  }, async () => {
    const error = {
      message: "listen EADDRINUSE: address already in use 127.0.0.1:PORT",
      code: "EADDRINUSE",
      syscall: "listen",
      address: "127.0.0.1",
    };
    assertEquals(await printed(runtime, "port_in_use"), {
      told: error,
      thrown: error,
      server: null,
      answers: "first",
      later: "second",
    });
  });

  Deno.test(`a second argument without an address leaves it unknown, on ${runtime.name}`, {
    ignore: runtime.missing,
  }, async () => {
    assertEquals(await printed(runtime, "unusual_info"), { tried: 13, unusual: {} });
  });
}

for (const runtime of [DENO, BUN, NODE]) {
  Deno.test(`http.createServer(app.fetch) says in the log to pass the application, on ${runtime.name}`, {
    ignore: runtime.missing,
  }, async () => {
    const message = "app.fetch expects a web Request, not one of Node's: pass the application itself, as in " +
      "http.createServer(app)";
    assertEquals(await printed(runtime, "fetch_of_node"), {
      status: 500,
      text: "",
      logged: [message],
      thrown: message,
    });
  });
}

for (const runtime of [DENO, BUN, NODE]) {
  Deno.test(`likely mistakes are told to the developer, on ${runtime.name}`, { ignore: runtime.missing }, async () => {
    const unanswered = "which is not sent, and nothing has responded for a second";
    assertEquals(await printed(runtime, "advice"), {
      late: "late",
      told: [
        "a function returned a function, and nothing has responded for a second; if it creates the handler, " +
        "register its return value: handler() (GET /factory)",
        'app.get: the path "users" matches no request, because paths begin with a slash; write "/users"',
        "json: there is no option limmit; did you mean limit?",
        `the handler returned "hello", ${unanswered}; call res.send(value), or return new Response(value) (GET /sync)`,
        `the handler returned an object, ${unanswered}; call res.json(value), or return Response.json(value) (GET /async)`,
      ],
    });
  });
}

for (const subject of FAULT_SUBJECTS) {
  Deno.test(`a request without a host keeps its whole path, on ${subject.name}`, {
    ignore: subject.runtime.missing,
  }, async () => {
    const server = await startFaultServer(subject);
    const client = await opened(server, "GET /public/folder/name?a=/b HTTP/1.0\r\n\r\n");
    const response = await new Response(client.readable).text();
    assertEquals(await server.stop(), "");
    assertMatch(response, /^HTTP\/1\.\d 404 [^]*<pre>Cannot GET \/public\/folder\/name<\/pre>/);
  });
}

for (const subject of FAULT_SUBJECTS.filter(({ fixture }) => fixture === "served")) {
  Deno.test(`clients of a Unix socket share a limit, and one warning says so, on ${subject.name}`, {
    ignore: subject.runtime.missing || Deno.build.os === "windows",
  }, async () => {
    const folder = await Deno.makeTempDir();
    const path = `${folder}/socket`;
    const request = new TextEncoder().encode("GET /limited HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    const server = await startFaultServer(subject, { SOCKET: path });
    const statuses: string[] = [];
    let errors: string;
    try {
      for (let i = 0; i < 4; i++) {
        const client = await Deno.connect({ transport: "unix", path });
        await writeAll(client, request);
        statuses.push((await new Response(client.readable).text()).split(" ")[1]!);
      }
    } finally {
      errors = await server.stop();
      await Deno.remove(folder, { recursive: true });
    }
    assertEquals(statuses, ["200", "200", "429", "429"]);
    assertMatch(errors, /^rateLimit: the client's address is unknown: [^\n]*"trust proxy"[^\n]*\n$/);
  });
}
