import { upload } from "@sluice/middleware/upload";
import sluice, { HttpError } from "@sluice/sluice";

const avatar = upload({
  fields: { avatar: { maxCount: 1, types: ["image/png", "image/jpeg"] } },
  limits: { fileSize: 100_000 },
});

export function createApp() {
  const app = sluice();
  app.post("/avatar", avatar, (req, res) => {
    if (req.file === undefined) throw new HttpError(400, "The file avatar is missing");
    res.json({ name: req.file.originalname, size: req.file.size });
  });
  return app;
}
