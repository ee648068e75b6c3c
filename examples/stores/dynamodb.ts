/** Counters in DynamoDB: one item per key, with an attribute for the state of each limit. */
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  paginateScan,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import type {
  CommitResult,
  CompareAndSet,
  ListedValue,
  StateKey,
  StateWrite,
  VersionedValue,
} from "@sluice/rate-limit";

type Item = Record<string, AttributeValue>;

/** A table with the partition key `id`, a string, and `expires` as its time to live. */
export class DynamoCounters implements CompareAndSet {
  readonly commitsTell = true;
  readonly atomicBatch = "same-key";
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  async read(keys: readonly StateKey[]): Promise<VersionedValue[]> {
    const item = await this.#item(keys[0]![1]);
    return keys.map((key) => valueIn(item, key));
  }

  async #item(key: string): Promise<Item | undefined> {
    const Key = { id: { S: await idOf(key) } };
    const command = new GetItemCommand({ TableName: this.#table, Key, ConsistentRead: true });
    return (await this.#client.send(command)).Item;
  }

  async commit(writes: readonly StateWrite[]): Promise<boolean | CommitResult> {
    const [seenUntil, seen] = (writes[0]!.expected as string | null)?.split(" ") ?? ["0"];
    // expiry of the item's last state, in seconds; clocks of other processes may be late by a minute
    const needed = Math.max(...writes.map(({ ttlMs }) => Math.ceil((Date.now() + ttlMs) / 1000) + 60));
    const until = Math.max(Number(seenUntil), needed);
    const version = crypto.randomUUID();
    const names: Record<string, string> = { "#version": "version", "#expires": "expires" };
    const values: Item = { ":version": { S: version }, ":expires": { N: String(until) } };
    if (seen !== undefined) values[":seen"] = { S: seen };
    const set = ["#version = :version", "#expires = :expires"];
    const remove: string[] = [];
    writes.forEach(({ key, value }, i) => {
      names[`#s${i}`] = attributeOf(key);
      if (value === null) remove.push(`#s${i}`);
      else {
        set.push(`#s${i} = :s${i}`);
        values[`:s${i}`] = { B: value };
      }
    });
    try {
      await this.#client.send(
        new UpdateItemCommand({
          TableName: this.#table,
          Key: { id: { S: await idOf(writes[0]!.key[1]) } },
          ConditionExpression: seen === undefined ? "attribute_not_exists(#version)" : "#version = :seen",
          UpdateExpression: `SET ${set.join(", ")}${remove.length > 0 ? ` REMOVE ${remove.join(", ")}` : ""}`,
          ExpressionAttributeNames: names,
          ExpressionAttributeValues: values,
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      );
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const { Item: found } = error;
      return found !== undefined && { written: false, values: writes.map(({ key }) => valueIn(found, key)) };
    }
    return { written: true, values: writes.map(({ value }) => ({ value, version: `${until} ${version}` })) };
  }

  async delete(key: StateKey): Promise<void> {
    try {
      await this.#client.send(
        new UpdateItemCommand({
          TableName: this.#table,
          Key: { id: { S: await idOf(key[1]) } },
          ConditionExpression: "attribute_exists(#version)",
          UpdateExpression: "SET #version = :version REMOVE #state",
          ExpressionAttributeNames: { "#version": "version", "#state": attributeOf(key) },
          ExpressionAttributeValues: { ":version": { S: crypto.randomUUID() } },
        }),
      );
    } catch (error) {
      // the item does not exist
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }

  async *list(policy: string, key?: string): AsyncGenerator<ListedValue> {
    if (key !== undefined) return yield* statesIn(await this.#item(key), policy, key);
    // the whole table: only reset() without a key and keys() do this
    const pages = paginateScan({ client: this.#client }, { TableName: this.#table, ConsistentRead: true });
    for await (const { Items = [] } of pages) {
      for (const item of Items) yield* statesIn(item, policy, nameOf(item["id"]!.S!));
    }
  }
}

/** An id has 1 to 2048 bytes. */
async function idOf(key: string): Promise<string> {
  const id = JSON.stringify(key);
  const bytes = new TextEncoder().encode(id);
  if (bytes.length <= 2048) return id;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `sha-256:${Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function nameOf(id: string): string {
  return id.startsWith('"') ? JSON.parse(id) : id;
}

function attributeOf([policy, , shape]: StateKey): string {
  return JSON.stringify([policy, shape]);
}

function valueIn(item: Item | undefined, key: StateKey): VersionedValue {
  // the version includes the item's expiry, so that a shorter limit does not let it expire sooner
  const version = item === undefined ? null : `${item["expires"]!.N} ${item["version"]!.S}`;
  return { value: item?.[attributeOf(key)]?.B ?? null, version };
}

function* statesIn(item: Item | undefined, policy: string, key: string): Generator<ListedValue> {
  for (const [name, { B: value }] of Object.entries(item ?? {})) {
    if (value === undefined) continue;
    const [its, shape] = JSON.parse(name) as [string, string];
    if (its === policy) yield { key: [policy, key, shape], value };
  }
}
