/** Every kind of body parser, with every option that decides whether and how a body is read. */
import sluice, { type Handler } from "@sluice/sluice";

/** Maximum bytes that a parser reads; some bodies are longer. */
const LIMIT = 300;

/** Each parser by its mount path. */
export const PARSERS: Readonly<Record<string, Handler>> = {
  "/json": sluice.json({ limit: LIMIT }),
  "/json-strange": sluice.json({ limit: LIMIT, strict: false, type: ["+json", "text/x-json", "text"] }),
  "/json-any": sluice.json({ limit: LIMIT, type: "*/*", inflate: false }),
  "/json-chosen": sluice.json({ type: (req) => /json/i.test(req.get("content-type") ?? "") }),
  "/json-verified": sluice.json({
    verify: (_req, _res, bytes) => {
      if (bytes[0] === 0x5b) throw new Error("a list");
    },
  }),
  "/form": sluice.urlencoded({ limit: LIMIT }),
  "/form-extended": sluice.urlencoded({ limit: LIMIT, extended: true, charsetSentinel: true }),
  "/form-latin": sluice.urlencoded({ defaultCharset: "iso-8859-1", interpretNumericEntities: true }),
  "/text": sluice.text({ limit: LIMIT }),
  "/text-latin": sluice.text({ type: ["text/*", "html"], defaultCharset: "latin1" }),
  "/text-any": sluice.text({ type: "*/*" }),
  "/raw": sluice.raw({ limit: LIMIT }),
  "/raw-some": sluice.raw({ type: ["image/*", "multipart", "application/*+json"] }),
};

/** Several parsers in a row, as in real programs. */
export const EVERY_PARSER: readonly Handler[] = [
  sluice.json(),
  sluice.urlencoded({ extended: true }),
  sluice.text(),
  sluice.raw(),
];
