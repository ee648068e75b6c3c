/** Counts the bytes that 100 000 requests leave behind when garbage has been collected, and prints them as JSON. */
import sluice from "@sluice/sluice";

const WARM_UP = 10_000;
const HALF = 50_000;
const { gc } = globalThis as unknown as { gc(): void };

const app = sluice().set("env", "test");
app.use((_req, _res, next) => next());
app.get("/user/:id", (req, res) => res.json({ id: req.params.id, search: req.query["search"] }));
for (let i = 0; i < 100; i++) app.get(`/r/${i}/:id`, (req, res) => res.json(req.params));
app.post("/echo", sluice.json(), (req, res) => res.json(req.body));
app.get("/fail", () => {
  throw Object.assign(new Error("no"), { status: 503 });
});

const QUESTIONS: Readonly<Record<string, (i: number) => Request>> = {
  "parameters and queries": (i) => get(`/user/${i}?search=${i}`),
  "many routes": (i) => get(`/r/${i % 100}/${i}`),
  "paths that nobody serves": (i) => get(`/nobody${i}/${i}`),
  "errors": () => get("/fail"),
  "bodies": (i) => {
    const headers = { "content-type": "application/json" };
    return new Request("http://localhost/echo", { method: "POST", headers, body: `{"i":${i}}` });
  },
};

function get(path: string): Request {
  return new Request(`http://localhost${path}`);
}

async function used(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    gc();
    // what the runtime keeps outside of the heap is let go in a later turn
    await new Promise((done) => setTimeout(done));
  }
  return Deno.memoryUsage().heapUsed;
}

// compiled code comes late and stays, what leaks comes with every request: the better half counts
async function leftBy(question: (i: number) => Request): Promise<number> {
  const halves: number[] = [];
  let i = 0;
  for (const requests of [WARM_UP, HALF, HALF]) {
    const before = await used();
    for (const end = i + requests; i < end; i++) await (await app.fetch(question(i))).arrayBuffer();
    halves.push(await used() - before);
  }
  return Math.min(...halves.slice(1));
}

const left: Record<string, number> = {};
for (const [name, question] of Object.entries(QUESTIONS)) left[name] = await leftBy(question);
console.log(JSON.stringify(left));
