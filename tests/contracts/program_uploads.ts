/** The part of the program that receives uploads. */
import { upload, type UploadedFile } from "@sluice/middleware/upload";
import type { ErrorRequestHandler, FrameworkApp, RequestHandler } from "@sluice/sluice";

/** Routes that receive forms in different ways, and return the contents. */
export function uploadRoutes(app: FrameworkApp): void {
  const limits = { fileSize: 1000 };
  app.post("/uploads/memory", upload({ limits, types: ["text/*"] }), (req, res) => {
    const files = req.files.map(({ buffer, ...claims }: UploadedFile) => {
      return { ...claims, text: new TextDecoder().decode(buffer) };
    });
    res.json({ body: req.body, files });
  });
  const sum = async ({ stream }: { stream: ReadableStream<Uint8Array> }) => {
    let total = 0;
    for (const reader = stream.getReader();;) {
      const { done, value } = await reader.read();
      if (done) return total;
      for (const byte of value) total += byte;
    }
  };
  const received: RequestHandler = (req, res) => void res.json([req.file.size, req.file.value]);
  app.post("/uploads/stream", upload({ storage: sum, fields: { file: { maxCount: 1 } } }), received);
  const refused: ErrorRequestHandler = (error, _req, res, _next) => {
    res.status(error.status).json([error.code, error.field]);
  };
  app.use("/uploads", refused);
}
