import sluice from "@sluice/sluice";

sluice().get("/", (_req, res) => res.send("first")).listen(3000);
sluice().get("/", (_req, res) => res.send("second")).listen(3001);
