/** A small HTTP server for programs to proxy to; it echoes each request. */
export function startUpstream(): { readonly url: string; stop(): Promise<void> } {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    if (pathname === "/big") return new Response("0123456789".repeat(20_000));
    if (pathname === "/teapot") return new Response("short and stout", { status: 418 });
    if (pathname === "/cookies") {
      const headers = new Headers([["set-cookie", "a=1; Path=/"], ["set-cookie", "b=2; Domain=upstream.test"]]);
      return new Response("cookies", { headers });
    }
    if (pathname === "/moved") {
      return new Response(null, { status: 302, headers: { location: `http://${request.headers.get("host")}/new` } });
    }
    const told = ["x-added", "x-forwarded-for", "x-forwarded-proto", "content-type", "content-length", "accept"];
    return Response.json({
      method: request.method,
      url: pathname + search,
      headers: Object.fromEntries(told.map((name) => [name, request.headers.get(name)])),
      body: await request.text(),
    }, { headers: { "x-upstream": "yes" } });
  });
  return { url: `http://127.0.0.1:${server.addr.port}`, stop: () => server.shutdown() };
}
