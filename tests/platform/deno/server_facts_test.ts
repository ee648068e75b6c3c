import { assertEquals } from "@std/assert";
import { certificate } from "../../fixtures/node/certificate.ts";
import { quietApp } from "../../support/app.ts";

const CERTIFICATE = certificate();
const encoder = new TextEncoder();

for (
  const { name, options, own } of [
    { name: "without TLS", options: {}, own: "http" },
    { name: "over TLS", options: CERTIFICATE, own: "https" },
  ]
) {
  Deno.test(`the scheme of an absolute target says nothing about a connection ${name}`, async () => {
    const app = quietApp().get("/", (req, res) => res.send(`${req.protocol} ${req.secure} ${req.socket.encrypted}`));
    const server = app.listen({ port: 0, hostname: "127.0.0.1", ...options });
    for (const target of ["/", "http://localhost/", "https://localhost/"]) {
      const at = { hostname: "localhost", port: server.port! };
      const connection = own === "http"
        ? await Deno.connect({ ...at, hostname: "127.0.0.1" })
        : await Deno.connectTls({ ...at, caCerts: [CERTIFICATE.cert] });
      await connection.write(encoder.encode(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`));
      const response = await new Response(connection.readable).text();
      assertEquals(response.split("\r\n\r\n")[1], own === "http" ? "http false false" : "https true true", target);
    }
    await app.close();
  });
}
