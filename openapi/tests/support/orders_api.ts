/** A typical API with 41 operations, for generated clients and checks. */
import { sse } from "@sluice/middleware/sse";
import { upload } from "@sluice/middleware/upload";
import { operation, validate } from "@sluice/openapi";
import sluice, { type FrameworkApp, rateLimit } from "@sluice/sluice";
import { z } from "zod";

const Id = z.coerce.number().int().positive();
const Money = z.object({ amount: z.number().int(), currency: z.enum(["EUR", "USD", "GBP"]) }).meta({ id: "Money" });
const Address = z.object({
  street: z.string(),
  city: z.string(),
  zip: z.string().regex(/^\d{4,6}$/),
  country: z.string().length(2).default("AT"),
}).meta({ id: "Address" });
const Customer = z.object({
  id: z.number(),
  name: z.string().min(1),
  email: z.email(),
  addresses: z.array(Address).max(10),
  tags: z.array(z.string()).default([]),
  createdAt: z.iso.datetime(),
  vip: z.boolean().optional(),
  note: z.string().nullable(),
}).meta({ id: "Customer" });
const NewCustomer = Customer.omit({ id: true, createdAt: true }).meta({ id: "NewCustomer" });
interface CategoryTree {
  name: string;
  children: CategoryTree[];
}
const Category: z.ZodType<CategoryTree> = z.object({
  name: z.string(),
  get children() {
    return z.array(Category);
  },
}).meta({ id: "Category" });
const Card = z.object({ type: z.literal("card"), number: z.string(), cvc: z.string() });
const Sepa = z.object({ type: z.literal("sepa"), iban: z.string() });
const Payment = z.discriminatedUnion("type", [Card, Sepa]).meta({ id: "Payment" });
const Line = z.object({ sku: z.string(), quantity: z.number().int().min(1).default(1), price: Money });
const Order = z.object({
  id: z.uuid(),
  customer: z.number(),
  lines: z.array(Line).min(1),
  payment: Payment,
  status: z.enum(["open", "paid", "shipped"]),
  placedAt: z.iso.datetime(),
  meta: z.record(z.string(), z.unknown()),
}).meta({ id: "Order" });
const NewOrder = z.object({
  customer: z.number(),
  lines: z.array(Line).min(1).max(100),
  payment: Payment,
  deliverBy: z.coerce.date().optional(),
}).meta({ id: "NewOrder" });
const Page = z.object({
  page: z.coerce.number().int().min(1).default(1),
  size: z.coerce.number().int().max(100).default(20),
  sort: z.enum(["name", "-name"]).optional(),
});
const Problem = z.object({ code: z.string(), message: z.string() }).meta({ id: "Error" });

const AT = new Date(0).toISOString();

function customer(id: number): z.input<typeof Customer> {
  return { id, name: "Ann", email: "ann@example.com", addresses: [], tags: [], createdAt: AT, note: null };
}

function order(): z.input<typeof Order> {
  return {
    id: "4f8b1e36-31b0-4f0c-9b0a-0f0b5a0e5c11",
    customer: 1,
    lines: [{ sku: "a", quantity: 1, price: { amount: 1, currency: "EUR" } }],
    payment: { type: "sepa", iban: "AT" },
    status: "open",
    placedAt: AT,
    meta: {},
  };
}

export function ordersApi(): FrameworkApp {
  const app = sluice().set("env", "test");
  app.use(sluice.json());
  const v1 = sluice.Router();
  v1.use(operation({ security: [{ bearer: [] }] }));
  customers(v1);
  orders(v1);
  others(v1);
  for (const name of ["products", "warehouses", "suppliers", "invoices", "shipments"]) things(v1, name);
  app.use("/v1", v1);
  return app;
}

type Router = ReturnType<typeof sluice.Router>;

function customers(v1: Router): void {
  v1.get(
    "/customers",
    operation({ summary: "List customers", tags: ["customers"] }),
    validate({
      query: Page.extend({
        tag: z.array(z.string()).optional(),
        since: z.iso.date().optional(),
        active: z.stringbool().optional(),
      }),
      response: { 200: z.object({ items: z.array(Customer), total: z.number() }) },
    }),
    (req, res) => res.json({ items: [], total: req.query.page }),
  );
  v1.post(
    "/customers",
    operation({ tags: ["customers"], responses: { 409: { description: "Exists", schema: Problem } } }),
    validate({ body: NewCustomer, response: { 201: Customer } }),
    (req, res) => {
      if (req.body.name === "taken") return res.status(409).json({ code: "taken", message: "Exists" } as never);
      res.status(201).json({ ...customer(1), name: req.body.name });
    },
  );
  v1.get(
    "/customers/:id",
    operation({ tags: ["customers"], responses: { 404: { description: "None", schema: Problem } } }),
    validate({ params: z.object({ id: Id }), response: { 200: Customer } }),
    (req, res) => {
      if (req.params.id === 404) return res.status(404).json({ code: "none", message: "There is none" } as never);
      res.json(customer(req.params.id));
    },
  );
  for (const [method, body] of [["put", NewCustomer], ["patch", NewCustomer.partial()]] as const) {
    v1[method](
      "/customers/:id",
      operation({ tags: ["customers"] }),
      validate({ params: z.object({ id: Id }), body, response: { 200: Customer } }),
      (req, res) => res.json(customer(req.params.id)),
    );
  }
  v1.delete(
    "/customers/:id",
    operation({ tags: ["customers"], responses: { 204: "Gone" } }),
    validate({ params: z.object({ id: Id }) }),
    (_req, res) => void res.status(204).end(),
  );
  v1.get(
    "/customers/:id/orders",
    validate({
      params: z.object({ id: Id }),
      query: Page.extend({ status: z.array(z.enum(["open", "paid", "shipped"])).optional() }),
      response: { 200: z.array(Order) },
    }),
    (_req, res) => res.json([order()] as never),
  );
  v1.post(
    "/customers/:id/avatar",
    upload({ types: ["image/*"], fields: { avatar: { maxCount: 1 } } }),
    validate({ params: z.object({ id: Id }), body: z.object({ caption: z.string() }) }),
    (req, res) => res.json({ bytes: (req as { file?: { size: number } }).file?.size, caption: req.body.caption }),
  );
}

function orders(v1: Router): void {
  v1.get(
    "/orders",
    validate({
      headers: z.object({ "x-tenant": z.string(), "x-trace": z.string().optional() }),
      cookies: z.object({ theme: z.enum(["dark", "light"]).optional() }),
      response: { 200: z.array(Order) },
    }),
    (req, res) => res.set("x-tenant", req.valid.headers["x-tenant"]).json([]),
  );
  v1.post(
    "/orders",
    rateLimit({ windowMs: 60_000, limit: 1000 }),
    validate({ body: NewOrder, response: { 201: Order } }),
    (req, res) => {
      const day: Date | undefined = req.body.deliverBy;
      const meta = { year: day?.getFullYear() };
      res.status(201).json({ ...order(), customer: req.body.customer, meta } as never);
    },
  );
  v1.get(
    "/orders/:orderId",
    validate({ params: z.object({ orderId: z.uuid() }), response: { 200: Order } }),
    (_req, res) => res.json(order() as never),
  );
  v1.get(
    "/orders/:orderId/events",
    operation({
      summary: "Changes as they happen",
      responses: { 200: { description: "Events", mediaType: "text/event-stream", schema: z.string() } },
    }),
    (req, res) => {
      const events = sse(req, res);
      events.send({ event: "paid", data: "1" });
      events.send({ data: "2" });
      events.close();
    },
  );
}

function others(v1: Router): void {
  v1.get("/categories", validate({ response: { 200: z.array(Category) } }), (_req, res) => {
    res.json([{ name: "a", children: [{ name: "b", children: [] }] }]);
  });
  v1.post("/categories", validate({ body: Category, response: { 201: Category } }), (req, res) => {
    res.status(201).json(req.body);
  });
  v1.get(
    "/search",
    validate({
      query: z.object({
        filter: z.object({ min: z.coerce.number().optional(), max: z.coerce.number().optional() }).optional(),
        q: z.string().min(1),
        near: z.tuple([z.coerce.number(), z.coerce.number()]).optional(),
      }),
    }),
    (req, res) => res.json({ q: req.query } as never),
  );
  v1.get("/files/*path", validate({ params: z.object({ path: z.array(z.string()) }) }), (req, res) => {
    res.json(req.params.path as never);
  });
  v1.post(
    "/import",
    operation({ consumes: ["text/csv"] }),
    sluice.text({ type: "text/csv" }),
    validate({ body: z.string().min(1), response: { 202: z.object({ rows: z.number() }) } }),
    (req, res) => res.status(202).json({ rows: req.body.split("\n").length }),
  );
  v1.get(
    "/report{.:format}",
    validate({ params: z.object({ format: z.enum(["csv", "json"]).optional() }) }),
    (req, res) => {
      res.json(req.params as never);
    },
  );
  v1.post(
    "/payments",
    validate({
      body: Payment,
      response: {
        200: z.union([z.object({ ok: z.literal(true) }), z.object({ ok: z.literal(false), reason: z.string() })]),
      },
    }),
    (req, res) => res.json(req.body.type === "card" ? { ok: true } : { ok: false, reason: "unknown account" }),
  );
  v1.post(
    "/hooks/stripe",
    operation({ security: [] }),
    validate({ headers: z.object({ "stripe-signature": z.string() }), body: z.looseObject({ type: z.string() }) }),
    (_req, res) => void res.status(204).end(),
  );
}

function things(v1: Router, name: string): void {
  const Item = z.object({ id: z.number(), name: z.string(), price: Money.optional() })
    .meta({ id: name[0]!.toUpperCase() + name.slice(1, -1) });
  const tagged = operation({ tags: [name] });
  v1.get(`/${name}`, tagged, validate({ query: Page, response: { 200: z.array(Item) } }), (_req, res) => res.json([]));
  v1.post(`/${name}`, tagged, validate({ body: Item.omit({ id: true }), response: { 201: Item } }), (req, res) => {
    res.status(201).json({ id: 1, ...req.body });
  });
  const params = z.object({ id: Id });
  v1.get(`/${name}/:id`, tagged, validate({ params, response: { 200: Item } }), (req, res) => {
    res.json({ id: req.params["id"] as unknown as number, name: "x" });
  });
  const gone = operation({ tags: [name], responses: { 204: "Gone" } });
  v1.delete(`/${name}/:id`, gone, validate({ params }), (_req, res) => void res.status(204).end());
}
