import process from "node:process";
import { createApp } from "./app.ts";

const server = createApp().listen(Number(process.env.PORT ?? 3000), () => {
  console.log(`http://localhost:${server.port}`);
});
