import sluice from "@sluice/sluice";

const app = sluice();

app.get("/", (req, res) => res.send(`Hello, ${req.env.NAME}`));

app.get("/visits/:page", async (req, res) => {
  const { page } = req.params;
  const visits = Number(await req.env.VISITS.get(page) ?? 0) + 1;
  await req.env.VISITS.put(page, String(visits));
  req.waitUntil(req.env.LOG(page));
  res.json({ page, visits });
});

export default app;
