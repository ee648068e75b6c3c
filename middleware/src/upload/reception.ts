import { HttpError } from "@sluice/limiting/core";
import type { Request, Response } from "@sluice/sluice";
import { collected } from "./memory_store.ts";
import { MultipartReader } from "./multipart_reader.ts";
import { boundaryOf, type PartHead } from "./part_head.ts";
import { refusal } from "./upload_error.ts";
import type { FileClaims, FileContent, FileStore, UploadedFile } from "./uploaded_file.ts";
import type { CheckedLimits } from "./upload_limits.ts";

/** How forms are received, checked and complete. */
export interface FormPlan {
  /** What a form may have. */
  readonly limits: CheckedLimits;
  /** Media types of files, `undefined` for any. */
  readonly types: readonly string[] | undefined;
  /** The fields that may have files, `undefined` for any. */
  readonly fields: ReadonlyMap<string, { max: number; types: readonly string[] | undefined }> | undefined;
  /** Where files go. */
  readonly store: FileStore;
  /** Whether they stay there when the response is over. */
  readonly keeps: boolean;
  /** Whether a request that is no form is refused. */
  readonly isRequired: boolean;
  /** Bytes in memory of all requests. */
  readonly memory: { held: number };
}

/** ms for which a refused body is still read, if the connection is closed behind it: as long as other parsers do. */
const UNREAD_BODY_MS = 5000;

/** Seconds after which a client may try again when memory was short. */
const RETRY_AFTER_S = 1;

/** Receives one form. */
export class Reception {
  readonly #plan: FormPlan;
  readonly #req: Request;
  readonly #res: Response;
  readonly #source: AsyncIterator<Uint8Array<ArrayBuffer>>;
  readonly #files: UploadedFile[] = [];
  readonly #body: Record<string, string | string[]> = Object.create(null);
  readonly #filesByField = new Map<string, UploadedFile[]>();
  #form!: MultipartReader;
  #parts = 0;
  #fields = 0;
  #received = 0;
  #held = 0;
  #isDone = false;
  /** Set when the response is over before the form, which nobody needs any more. */
  #left: Error | undefined;
  #tellLeft: ((reason: Error) => void) | undefined;

  /**
   * @param plan How it is received
   * @param req The request
   * @param res Its response
   */
  constructor(plan: FormPlan, req: Request, res: Response) {
    this.#plan = plan;
    this.#req = req;
    this.#res = res;
    this.#source = req[Symbol.asyncIterator]();
  }

  /** The refusal of a request that is no form. */
  static notAForm(): HttpError {
    return refusal(415, "NOT_MULTIPART", "the request must be a form of type multipart/form-data");
  }

  /**
   * Reads the form, and sets what the program gets of it.
   *
   * @throws {HttpError} If the form is refused
   * @throws {unknown} What a function of the program, or a disk, has failed with
   */
  async run(): Promise<void> {
    const { store, keeps } = this.#plan;
    this.#res.once("close", () => this.#over());
    try {
      this.#begin();
      for (let part; (part = await this.#form.next()) !== undefined;) await this.#take(part);
      if (this.#left !== undefined) throw this.#left;
    } catch (error) {
      const reason = this.#reasonOf(error);
      if (reason instanceof HttpError) await this.#sendOn();
      // not waited for: a read may be pending
      void this.#source.return?.();
      await this.#removeAll();
      this.#req.file = this.#req.files = undefined;
      throw reason;
    }
    this.#isDone = true;
    if (!keeps && store.remove !== undefined) this.#res.once("close", () => void this.#removeAll());
  }

  #begin(): void {
    const { limits, fields } = this.#plan;
    if (this.#res.destroyed) throw this.#left = cutOff(undefined, undefined);
    if (this.#req.readableDidRead) {
      throw new TypeError(
        "upload cannot read the body again: an earlier middleware has read it; register upload alone",
      );
    }
    const coding = this.#req.get("content-encoding") ?? "identity";
    if (coding !== "identity") throw refusal(415, "UNSUPPORTED_TYPE", "a form must not have a content encoding");
    const boundary = boundaryOf(this.#req.get("content-type")!);
    if (boundary === undefined) throw refusal(400, "MALFORMED_FORM", "the form's content type has no valid boundary");
    // unless somebody else has announced any length, this is what the body has
    if (Number(this.#req.get("content-length")) > limits.total) throw this.#tooLong();
    this.#form = new MultipartReader({ next: () => this.#nextChunk() }, boundary);
    this.#req.body = this.#body;
    this.#req.files = fields === undefined ? this.#files : Object.create(null);
  }

  async #nextChunk(): Promise<IteratorResult<Uint8Array<ArrayBuffer>, undefined>> {
    const { value, done } = await this.#source.next();
    if (this.#left !== undefined) throw this.#left;
    if (done) return { value: undefined, done };
    if (typeof value === "string") throw new TypeError("upload reads bytes, and req.setEncoding has made them text");
    this.#received += value.length;
    if (this.#received > this.#plan.limits.total) throw this.#tooLong();
    return { value };
  }

  async #take(part: PartHead): Promise<void> {
    const { limits } = this.#plan;
    const { name } = part;
    if (++this.#parts > limits.parts) {
      throw refusal(413, "LIMIT_PART_COUNT", `the form has more than ${limits.parts} parts`, name);
    }
    if (!name) throw refusal(400, "MISSING_FIELD_NAME", "a part of the form has no name");
    // compared in full only if it can matter: each character takes a byte or more
    if (name.length > limits.fieldNameSize || new TextEncoder().encode(name).length > limits.fieldNameSize) {
      throw refusal(413, "LIMIT_FIELD_KEY", `the name of a field has more than ${limits.fieldNameSize} bytes`);
    }
    if (part.filename === undefined) return await this.#takeField(name);
    if (!part.isUnchosen) await this.#takeFile(name, part.filename, part.mimetype);
  }

  async #takeField(name: string): Promise<void> {
    const { fields, fieldSize } = this.#plan.limits;
    if (++this.#fields > fields) {
      throw refusal(413, "LIMIT_FIELD_COUNT", `the form has more than ${fields} fields`, name);
    }
    const content = this.#contentOf(
      fieldSize,
      () => refusal(413, "LIMIT_FIELD_VALUE", `the value has more than ${fieldSize} bytes`, name),
    );
    const value = new TextDecoder().decode(await collected(content));
    // as in queries; what copies the fields with Object.assign would set a prototype
    if (name === "__proto__") return;
    const present = this.#body[name];
    if (present === undefined) this.#body[name] = value;
    else if (typeof present === "string") this.#body[name] = [present, value];
    else present.push(value);
  }

  async #takeFile(fieldname: string, originalname: string, mimetype: string): Promise<void> {
    const { limits: { files, fileSize }, store } = this.#plan;
    if (this.#files.length === files) {
      throw refusal(413, "LIMIT_FILE_COUNT", `the form has more than ${files} files`, fieldname);
    }
    this.#assertExpected(fieldname, mimetype);
    const content = this.#contentOf(
      fileSize,
      () => refusal(413, "LIMIT_FILE_SIZE", `the file has more than ${fileSize} bytes`, fieldname),
    );
    const claims: FileClaims = { fieldname, originalname, mimetype };
    const stored = await store.take(claims, content, this.#req);
    this.#add({ ...claims, size: content.size, ...stored });
  }

  #assertExpected(fieldname: string, mimetype: string): void {
    const { fields, types: general } = this.#plan;
    const field = fields?.get(fieldname);
    if (fields !== undefined && field === undefined) {
      throw refusal(400, "LIMIT_UNEXPECTED_FILE", "a file was not expected", fieldname);
    }
    const present = this.#filesByField.get(fieldname)?.length ?? 0;
    if (field !== undefined && present >= field.max) {
      throw refusal(413, "LIMIT_UNEXPECTED_FILE", `there are more than ${field.max} files`, fieldname);
    }
    const types = field?.types ?? general;
    if (types === undefined || types.some((type) => isOfType(mimetype, type))) return;
    const message = `a file of type ${mimetype} is not accepted, but ${types.join(", ")}`;
    throw refusal(415, "UNSUPPORTED_TYPE", message, fieldname);
  }

  #add(file: UploadedFile): void {
    const { fields } = this.#plan;
    this.#files.push(file);
    this.#req.file ??= file;
    const inField = this.#filesByField.get(file.fieldname);
    if (inField !== undefined) return void inField.push(file);
    const list = [file];
    this.#filesByField.set(file.fieldname, list);
    if (fields !== undefined) this.#req.files[file.fieldname] = list;
  }

  #contentOf(limit: number, tooLarge: () => HttpError): FileContent & { readonly size: number } {
    let size = 0;
    return {
      get size() {
        return size;
      },
      read: async () => {
        const chunk = await this.#form.read();
        size += chunk?.length ?? 0;
        if (size > limit) throw tooLarge();
        return chunk;
      },
      hold: (bytes) => this.#hold(bytes),
      onLeave: (listener) => this.#tellLeft = listener,
    };
  }

  #hold(bytes: number): void {
    const { memory, limits } = this.#plan;
    if (memory.held + bytes > limits.memory) {
      throw refusal(
        503,
        "LIMIT_MEMORY",
        `the forms being received would take more than ${limits.memory} bytes of memory`,
        this.#form.part?.name,
        { headers: { "retry-after": String(RETRY_AFTER_S) } },
      );
    }
    memory.held += bytes;
    this.#held += bytes;
  }

  #over(): void {
    this.#plan.memory.held -= this.#held;
    this.#held = 0;
    if (this.#isDone) return;
    this.#left = cutOff(this.#form?.part?.name, undefined);
    this.#tellLeft?.(this.#left);
  }

  // what the runtime says of a client that is gone
  #reasonOf(error: unknown): unknown {
    const { code } = Object(error) as { code?: unknown };
    if (error instanceof HttpError || code !== "ECONNRESET") return error;
    return cutOff(this.#form?.part?.name, error);
  }

  #tooLong(): HttpError {
    const { total } = this.#plan.limits;
    return refusal(413, "LIMIT_TOTAL_SIZE", `the form has more than ${total} bytes`, this.#form?.part?.name);
  }

  // A client that sends all of its body before it reads would lose the response if the connection were closed with that.
  // So as in the framework's parsers what it sends is discarded first, but not for ever.
  async #sendOn(): Promise<void> {
    const isLast = /\bclose\b/i.test(this.#req.get("connection") ?? "") || this.#req.httpVersion === "1.0";
    if (!isLast || this.#left !== undefined) return;
    let timer;
    const late = new Promise<void>((resolve) => timer = setTimeout(resolve, UNREAD_BODY_MS));
    await Promise.race([this.#discard().catch(() => {}), late]);
    clearTimeout(timer);
  }

  async #discard(): Promise<void> {
    while (!(await this.#source.next()).done);
  }

  async #removeAll(): Promise<void> {
    const { store } = this.#plan;
    // each is tried, whatever becomes of the others
    const removed = await Promise.allSettled(
      this.#files.map(async (file) => await store.remove?.(file, this.#req)),
    );
    for (const one of removed) {
      if (one.status === "rejected") this.#req.app.reportError(one.reason, { req: this.#req, phase: "handler" });
    }
  }
}

function isOfType(mimetype: string, type: string): boolean {
  return type.endsWith("/*") ? mimetype.startsWith(type.slice(0, -1)) : mimetype === type;
}

function cutOff(field: string | undefined, cause: unknown): HttpError {
  return refusal(400, "ECONNRESET", "the upload was cut off", field, { cause });
}
