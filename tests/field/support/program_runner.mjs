// Runs one program: prints its address and its own client's observations, and exits once standard input closes.
import { connect } from "node:net";

const { start, visit } = await import(process.argv[2]);
const running = await start();
const server = running.server;
while (!server.address()) await new Promise((resolve) => server.once("listening", resolve));
const { port } = server.address();
// an address does not mean that the server accepts connections yet
await new Promise((resolve, reject) =>
  connect(port, "127.0.0.1").once("error", reject).once("connect", function () {
    this.destroy();
    resolve();
  })
);
console.log(`answer ${JSON.stringify({ port })}`);
process.stdin.resume().once("end", async () => {
  const seen = visit === undefined ? [] : await visit(port);
  console.log(`answer ${JSON.stringify({ seen })}`);
  await running.close();
  process.exit();
});
