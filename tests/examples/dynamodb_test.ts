/** The documented DynamoDB adapter, on Dynalite, which implements DynamoDB's protocol. */
import {
  ConditionalCheckFailedException,
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  type GetItemCommandInput,
} from "@aws-sdk/client-dynamodb";
import dynalite from "dynalite";
import { type AlgorithmName, fromCompareAndSet, type Policy, type Store } from "@sluice/rate-limit";
import { storeContract } from "@sluice/rate-limit/testing";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { assertNotLate } from "../../advanced/tests/support/late/assert_not_late.ts";
import { lateDatabase } from "../../advanced/tests/support/late/late_database.ts";
import { DynamoCounters } from "../../examples/stores/dynamodb.ts";
import { until } from "../support/until.ts";

const server = dynalite({ createTableMs: 0 });
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
server.unref();

const POLICY: Policy = { name: "policy", algorithm: "sliding-window", limit: 50, windowMs: 60_000 };

/** A client that counts its commands. */
class Client extends DynamoDBClient implements Disposable {
  commands = 0;

  constructor(port = server.address().port) {
    super({
      endpoint: `http://127.0.0.1:${port}`,
      region: "us-east-1",
      credentials: { accessKeyId: "key", secretAccessKey: "secret" },
    });
    this.middlewareStack.add((next) => (args) => {
      this.commands++;
      return next(args);
    }, { step: "initialize" });
  }

  /** Makes failed conditions return the item, as DynamoDB does and Dynalite does not. */
  telling(): this {
    this.middlewareStack.add((next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        const { TableName, Key, ReturnValuesOnConditionCheckFailure: told } = args.input as
          & GetItemCommandInput
          & { ReturnValuesOnConditionCheckFailure?: string };
        if (!(error instanceof ConditionalCheckFailedException) || told !== "ALL_OLD") throw error;
        const { Item } = await other.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
        throw Object.assign(error, Item === undefined ? {} : { Item });
      }
    }, { step: "initialize", priority: "low" });
    return this;
  }

  [Symbol.dispose](): void {
    this.destroy();
  }
}

const other = new Client();

async function makeTable(): Promise<string> {
  const TableName = `limits-${crypto.randomUUID()}`;
  await other.send(
    new CreateTableCommand({
      TableName,
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      BillingMode: "PAY_PER_REQUEST",
    }),
  );
  await until(async () => {
    return (await other.send(new DescribeTableCommand({ TableName }))).Table!.TableStatus === "ACTIVE";
  }, "a table");
  return TableName;
}

function storeOn(client: Client, table: string, options = {}): Store {
  return fromCompareAndSet(new DynamoCounters(client, table), options);
}

/** The same store, tested with only some algorithms: to the database an item is bytes, and all algorithms are slow. */
function withSome(store: Store): Store {
  const algorithms = new Set<AlgorithmName>(["sliding-window", "sliding-log"]);
  return {
    capabilities: { ...store.capabilities, algorithms },
    decide: (takes, times) => store.decide(takes, times),
    give: (take, stamp, amount) => store.give(take, stamp, amount),
    settle: (take, stamp, change) => store.settle!(take, stamp, change),
    reset: (selector) => store.reset(selector),
    inspect: (policy) => store.inspect!(policy),
  };
}

const operations = Deno.env.get("SLUICE_FUZZ_OPERATIONS");

storeContract(
  {
    name: "the adapter for DynamoDB",
    async make(clock) {
      const client = new Client();
      const store = storeOn(client, await makeTable(), { clock: clock.read });
      const dispose = () => Promise.resolve(client.destroy());
      return { store: operations === undefined ? withSome(store) : store, dispose };
    },
  },
  Deno.test,
  { operations: operations === undefined ? 30 : 3000 },
);

for (const tells of [false, true]) {
  Deno.test(`processes that share a table of DynamoDB admit exactly what the limit says${tells ? ", if it tells what it found" : ""}`, async () => {
    const table = await makeTable();
    const clients = Array.from({ length: 4 }, () => tells ? new Client().telling() : new Client());
    const stores = clients.map((client) => storeOn(client, table, { attempts: 1000 }));
    const verdicts = await Promise.all(Array.from({ length: 80 }, async (_, i) => {
      return (await stores[i % 4]!.decide([{ policy: POLICY, key: "a", cost: 1 }]))[0]!;
    }));
    assertEquals(verdicts.filter(({ granted }) => granted === 1).length, 50);
    for (const client of clients) client.destroy();
  });
}

Deno.test("DynamoDB grants as much as is documented while commands and replies are late by up to a second", async () => {
  const table = await makeTable();
  const subject = lateDatabase("DynamoDB", server.address().port, (port) => {
    const client = new Client(port);
    return { database: new DynamoCounters(client, table), close: () => client.destroy() };
  });
  await assertNotLate(subject, 7, 12);
});

Deno.test("a decision takes one command of DynamoDB, and a second one if another process has written", async () => {
  using client = new Client().telling();
  using another = new Client();
  const table = await makeTable();
  const store = storeOn(client, table);
  const rival = storeOn(another, table);
  const take = { policy: POLICY, key: "a", cost: 1 };
  const both = [take, { ...take, policy: { ...POLICY, name: "other" } }];
  // the first decision of a process reads
  await store.decide([{ ...take, key: "first" }]);
  const steps: [what: string, commands: number, body: () => unknown][] = [
    ["the first grant of a key", 1, () => store.decide([take])],
    ["another one", 1, () => store.decide([take])],
    ["two limits at once", 1, () => store.decide(both)],
    ["a refusal", 1, () => store.decide([{ ...take, cost: 48 }])],
    ["a grant that another process does not know of", 2, async () => {
      assertEquals((await rival.decide([take]))[0]!.remaining, 46);
      assertEquals((await store.decide([take]))[0]!.remaining, 45);
    }],
  ];
  for (const [what, commands, body] of steps) {
    const before = client.commands;
    await body();
    assertEquals(client.commands - before, commands, what);
  }
});

Deno.test("an item of DynamoDB is kept as long as the longest of its limits", async () => {
  using client = new Client();
  const table = await makeTable();
  const store = storeOn(client, table);
  const take = { policy: { ...POLICY, windowMs: 86_400_000 }, key: "a", cost: 1 };
  await store.decide([take]);
  await store.decide([{ ...take, policy: { ...POLICY, name: "short", windowMs: 1000 } }]);
  assertEquals(await store.reset({ policy: "short", key: "a" }), 1);
  const { Item } = await client.send(new GetItemCommand({ TableName: table, Key: { id: { S: '"a"' } } }));
  assert(Number(Item!["expires"]!.N) > Date.now() / 1000 + 86_400);
  assertEquals((await store.decide([{ ...take, cost: 0 }]))[0]!.remaining, 49);
});

Deno.test("a key that is too long for DynamoDB is listed by its digest", async () => {
  using client = new Client();
  const store = storeOn(client, await makeTable());
  for (const key of ["short", "€".repeat(1024)]) await store.decide([{ policy: POLICY, key, cost: 1 }]);
  const keys: string[] = [];
  for await (const { key } of store.inspect!(POLICY)) keys.push(key);
  assertEquals(keys.map((key) => key.slice(0, 8)).sort(), ["sha-256:", "short"]);
  assertEquals(await store.reset({ policy: "policy" }), 2);
});

Deno.test("the page of other databases prints the adapter for DynamoDB as it is", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/limits/other-stores.md", import.meta.url));
  const adapter = await Deno.readTextFile(new URL("../../examples/stores/dynamodb.ts", import.meta.url));
  assertStringIncludes(page, `\`\`\`ts [dynamodb.ts]\n${adapter}\`\`\`\n`);
});
