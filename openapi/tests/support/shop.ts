/** A realistic shop with 41 operations: lists, objects and files in every part, and several libraries. */
import { upload } from "@sluice/middleware/upload";
import { operation, validate } from "@sluice/openapi";
import sluice, { type FrameworkApp, type Handler, rateLimit, Router } from "@sluice/sluice";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";

const Id = z.coerce.number().int().positive();
const Money = z.object({ amount: z.int(), currency: z.enum(["EUR", "USD", "GBP"]) }).meta({ id: "Money" });
const Address = z.object({
  street: z.string().max(20),
  zip: z.string().regex(/^\d{4,6}$/),
  country: z.string().length(2).default("AT"),
}).meta({ id: "Address" });
const NewCustomer = z.object({
  name: z.string().min(1),
  email: z.email(),
  addresses: z.array(Address).max(3),
  tags: z.array(z.string()).default([]),
  note: z.string().nullable(),
}).meta({ id: "NewCustomer" });
const Customer = NewCustomer.extend({ id: z.number(), createdAt: z.date(), vip: z.boolean().optional() })
  .meta({ id: "Customer" });
interface Tree {
  name: string;
  children: Tree[];
}
const Category: z.ZodType<Tree> = z.object({
  name: z.string(),
  get children() {
    return z.array(Category);
  },
}).meta({ id: "Category" });
const Payment = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("card"), number: z.string().transform((text) => text.slice(-4)).pipe(z.string().max(4)) }),
  z.object({ kind: z.literal("sepa"), iban: z.string() }),
]).meta({ id: "Payment" });
const Line = z.object({ sku: z.string(), quantity: z.int().min(1).default(1), price: Money });
const NewOrder = z.object({
  lines: z.array(Line).min(1).max(3),
  payment: Payment,
  deliverBy: z.coerce.date().optional(),
}).meta({ id: "NewOrder" });
const Order = z.object({
  id: z.uuid(),
  lines: z.array(Line),
  status: z.enum(["open", "paid", "shipped"]),
  placedAt: z.date(),
  labels: z.set(z.string()),
  meta: z.record(z.string(), z.unknown()),
}).meta({ id: "Order" });
const Page = z.object({ page: z.coerce.number().int().min(1).default(1), size: z.int().max(100).default(20) });

/** A user's database row, which has more fields than a client may get. */
const ROW = { passwordHash: "secret", internal: { cost: 1 } };

const CUSTOMER = {
  ...ROW,
  id: 1,
  name: "Ann",
  email: "ann@example.com",
  addresses: [{ street: "Ring", zip: "1010", country: "AT", ...ROW }],
  tags: [],
  note: null,
  createdAt: new Date(0),
};
const ORDER = {
  ...ROW,
  id: "4f8b1e36-31b0-4f0c-9b0a-0f0b5a0e5c11",
  lines: [{ sku: "a", quantity: 1, price: { amount: 1, currency: "EUR" as const, ...ROW } }],
  status: "open" as const,
  placedAt: new Date(0),
  labels: new Set(["new"]),
  meta: { any: [1] },
};

/**
 * Makes the shop.
 *
 * @param env Its environment
 * @param first Middleware in front of everything else
 */
export function shop(env: string, ...first: Handler[]): FrameworkApp {
  const app = sluice().set("env", env).set("logger", undefined as never);
  for (const handler of first) app.use(handler);
  const api = Router();
  const byId = { params: z.object({ id: Id }) };
  app.use(sluice.json());
  api.use(operation({ security: [{ bearer: [] }] }));

  const listed = Page.extend({
    tag: z.array(z.string()).optional(),
    since: z.iso.date().optional(),
    vip: z.boolean().optional(),
  });
  const customers = z.object({ items: z.array(Customer), total: z.number() });
  api.get("/customers", validate({ query: listed, response: { 200: customers } }), (req, res) => {
    res.json({ items: [CUSTOMER], total: req.query.page });
  });
  api.post("/customers", validate({ body: NewCustomer, response: { 201: Customer } }), (req, res) => {
    res.status(201).json({ ...CUSTOMER, name: req.body.name });
  });
  api.get("/customers/:id", validate({ ...byId, response: { 200: Customer } }), (_req, res) => void res.json(CUSTOMER));
  api.put("/customers/:id", validate({ ...byId, body: NewCustomer, response: { 200: Customer } }), (_req, res) => {
    res.json(CUSTOMER);
  });
  api.patch("/customers/:id", validate({ ...byId, body: NewCustomer.partial() }), (_req, res) => void res.json(1));
  api.delete("/customers/:id", operation({ responses: { 204: "Gone" } }), validate(byId), (_req, res) => {
    res.status(204).end();
  });
  const status = z.array(z.enum(["open", "paid", "shipped"])).optional();
  api.get(
    "/customers/:id/orders",
    validate({ ...byId, query: Page.extend({ status }), response: { 200: z.array(Order) } }),
    (_req, res) => void res.json([ORDER]),
  );
  api.post(
    "/customers/:id/avatar",
    upload({ fields: { avatar: { maxCount: 1, types: ["image/*"], required: true } } }),
    validate({
      ...byId,
      body: z.object({ caption: z.string(), at: z.object({ x: z.number() }), tags: z.array(z.string()).min(1) }),
      response: { 200: z.object({ bytes: z.number() }) },
    }),
    (req, res) => void res.json({ bytes: req.file.size }),
  );
  api.post(
    "/documents",
    upload(),
    validate({
      body: z.object({ file: z.file().mime("image/png"), pages: z.int(), more: z.array(z.file()).optional() }),
    }),
    (req, res) => void res.json(req.body.file.size + req.body.pages),
  );
  api.get(
    "/orders",
    validate({
      headers: z.object({ "x-tenant": z.string().min(1), "x-regions": z.array(z.string().min(1)).optional() }),
      cookies: z.object({ theme: z.enum(["dark", "light"]).optional(), seen: z.array(z.int()).optional() }),
      response: { 200: z.array(Order) },
    }),
    (_req, res) => void res.json([]),
  );
  const limit = rateLimit({ windowMs: 60_000, limit: 1_000_000, keyGenerator: () => "one" });
  api.post("/orders", limit, validate({ body: NewOrder, response: { 201: Order } }), (req, res) => {
    res.status(201).json({ ...ORDER, meta: { year: req.body.deliverBy?.getFullYear() } });
  });
  api.get("/orders/:id", validate({ params: z.object({ id: z.uuid() }), response: { 200: Order } }), (_req, res) => {
    res.json(ORDER);
  });
  api.get("/orders/:ids/state", validate({ params: z.object({ ids: z.array(Id) }) }), (req, res) => {
    res.json(req.params.ids.length);
  });
  api.post("/payments", validate({ body: Payment, response: { 200: Payment } }), (_req, res) => {
    res.json({ kind: "card", number: "1234567890" });
  });
  api.post("/categories", validate({ body: Category, response: { 201: Category } }), (req, res) => {
    res.status(201).json(req.body);
  });
  const filter = z.object({
    min: z.number().optional(),
    max: z.number().optional(),
    tags: z.array(z.string()).optional(),
  });
  api.get(
    "/search",
    validate({ query: z.object({ q: z.string().min(1), filter: filter.optional() }) }),
    (_req, res) => {
      res.json(1);
    },
  );
  api.get(
    "/files/*path",
    validate({ params: z.object({ path: z.array(z.string()) }) }),
    (_req, res) => void res.json(1),
  );
  const near = { query: { near: { style: "pipeDelimited", explode: false }, ids: { explode: false } } } as const;
  api.get(
    "/near",
    validate({
      query: type({ near: "number[] == 2", "ids?": "string[]" }),
      serialization: near,
      response: { 200: type({ found: "number" }) },
    }),
    (_req, res) => void res.json({ found: 1, ...ROW } as { found: number }),
  );
  const Feedback = v.object({
    stars: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(5)),
    tags: v.array(v.string()),
  });
  const Thanks = v.object({ thanks: v.boolean() });
  api.post(
    "/feedback",
    sluice.urlencoded(),
    // the parser for JSON is in front of it, too, and many generators use only the first media type
    operation({ consumes: ["application/x-www-form-urlencoded"] }),
    validate({ body: toStandardJsonSchema(Feedback), response: { 200: toStandardJsonSchema(Thanks) } }),
    (_req, res) => void res.json({ thanks: true, ...ROW }),
  );
  api.post("/import", sluice.text({ type: "text/csv" }), validate({ body: z.string().min(1) }), (_req, res) => {
    res.status(202).json(1);
  });
  api.get(
    "/report{.:format}",
    validate({ params: z.object({ format: z.enum(["csv", "json"]).optional() }) }),
    (_req, res) => {
      res.json(1);
    },
  );
  for (const name of ["Product", "Warehouse", "Supplier", "Invoice", "Shipment"]) {
    const Item = z.object({ id: z.number(), name: z.string(), price: Money.optional() }).meta({ id: name });
    const path = `/${name.toLowerCase()}s`;
    api.get(path, validate({ query: Page, response: { 200: z.array(Item) } }), (_req, res) => {
      res.json([{ id: 1, name: "x", ...ROW }]);
    });
    api.post(path, validate({ body: Item.omit({ id: true }), response: { 201: Item } }), (req, res) => {
      res.status(201).json({ id: 1, ...req.body, ...ROW });
    });
    api.get(`${path}/:id`, validate({ ...byId, response: { 200: Item } }), (req, res) => {
      res.json({ id: req.params.id, name: "x", ...ROW });
    });
    api.delete(`${path}/:id`, operation({ responses: { 204: "Gone" } }), validate(byId), (_req, res) => {
      res.status(204).end();
    });
  }
  app.use("/v1", api);
  return app;
}
