/** A program that exits with its server. */
import sluice from "@sluice/sluice";

const app = sluice();
app.get("/closed", function closed(_req, res) {
  res.send("closed");
});
app.listen(3000);
await app.close();
app.get("/after", function after(_req, res) {
  res.send("after");
});
