/** A program for `deno serve`, Bun and Workers. */
import sluice from "@sluice/sluice";

export default sluice().get("/exported", function shown(_req, res) {
  res.send("exported");
});
