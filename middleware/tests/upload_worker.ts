/** A Worker that receives uploads. */
import sluice from "@sluice/sluice";
import { upload, type UploadedFile } from "@sluice/middleware/upload";

const app = sluice();
app.post("/memory", upload(), (req, res) => {
  const files = req.files.map(({ size, buffer }: UploadedFile) => [size, new TextDecoder().decode(buffer)]);
  res.json({ body: req.body, files });
});
const text = ({ stream }: { stream: ReadableStream }) => new Response(stream).text();
app.post("/stream", upload({ storage: text }), (req, res) => res.json(req.file?.value));
app.get("/folder", (_req, res) => {
  try {
    upload({ dest: "/tmp" });
    res.send("made");
  } catch (error) {
    res.send((error as Error).message);
  }
});
export default app;
