/** Parses a 100 kB form of nested sparse lists, and prints the number of parsed names as JSON. */
import sluice from "@sluice/sluice";

const app = sluice().set("env", "test");
app.post("/", sluice.urlencoded({ extended: true }), (req, res) => res.json(Object.keys(req.body).length));
const body = Array.from({ length: 1000 }, (_, i) => `k${i}${"[999]".repeat(18)}=${i}`).join("&");
const headers = { "content-type": "application/x-www-form-urlencoded" };
const response = await app.handle(new Request("http://localhost/", { method: "POST", headers, body }));
console.log(await response.text());
