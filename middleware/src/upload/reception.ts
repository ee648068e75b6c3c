import { FairBudget, HttpError, type RequestsInProgress, Reservation } from "@sluice/shared";
import type { Request, Response } from "@sluice/sluice";
import { collected } from "./memory_upload.ts";
import { MultipartReader } from "./multipart_reader.ts";
import { boundaryOf, type PartHead } from "./part_head.ts";
import { refusal } from "./upload_error.ts";
import type { FileClaims, FileContent, FileStore, UploadedFile } from "./uploaded_file.ts";
import { assertWithin, type CheckedLimits, type FormLimit, memoryIsShort } from "./upload_limits.ts";

/** Rules for a field. */
export interface FieldPlan {
  /** Maximum number of files in it. */
  readonly maxCount: number;
  /** Media types of its files; `undefined` if the types for all fields apply. */
  readonly types: readonly string[] | undefined;
  /** Whether a form without a file in this field is rejected. */
  readonly isRequired: boolean;
}

/** How forms are received: the checked options. */
export interface FormPlan {
  /** Limits for a form. */
  readonly limits: CheckedLimits;
  /** Allowed media types of files; `undefined` allows any. */
  readonly types: readonly string[] | undefined;
  /** The fields that may have files; `undefined` allows any. */
  readonly fields: ReadonlyMap<string, FieldPlan> | undefined;
  /** Whether `req.files` groups them by field. */
  readonly isByField: boolean;
  /** Where files go. */
  readonly store: FileStore;
  /** Whether a request that is not a form is rejected. */
  readonly isRequired: boolean;
  /** Requests whose handlers may still need their files. */
  readonly requests: RequestsInProgress;
}

/** Memory used by all forms in the process. */
const memory = new FairBudget();

/** How long to keep reading a rejected body before the connection closes, in ms: as long as other parsers do. */
const UNREAD_BODY_MS = 5000;

/** The properties it sets on a request, regardless of the types that the program declares. */
interface FilledRequest {
  body: unknown;
  file?: UploadedFile | undefined;
  files?: UploadedFile[] | Record<string, UploadedFile[]> | undefined;
}

/** Receives one form. */
export class Reception {
  readonly #plan: FormPlan;
  readonly #req: Request;
  readonly #filled: FilledRequest;
  readonly #res: Response;
  readonly #source: AsyncIterator<Uint8Array<ArrayBuffer>>;
  readonly #files: UploadedFile[] = [];
  readonly #body: Record<string, string | string[]> = Object.create(null);
  readonly #filesByField: Record<string, UploadedFile[]> = Object.create(null);
  #form!: MultipartReader;
  #parts = 0;
  #fields = 0;
  #received = 0;
  readonly #memory: Reservation = new Reservation(memory, this);
  #isDone = false;
  #isOver = false;
  /** Rejects the pending read. */
  #interrupt: (reason: Error) => void = () => {};
  /** Why the rest of the form is not needed: the response has ended, or other forms need its memory. */
  #left: Error | undefined;
  #refuse: (reason: Error) => void = () => {};
  /** Resolves when the form was received, or its remains are removed. */
  #settled: Promise<void> | undefined;
  #abortListener: ((reason: Error) => void) | undefined;

  /**
   * @param plan How to receive it
   * @param req The request
   * @param res Its response
   */
  constructor(plan: FormPlan, req: Request, res: Response) {
    this.#plan = plan;
    this.#req = req;
    this.#filled = req as unknown as FilledRequest;
    this.#res = res;
    this.#source = req[Symbol.asyncIterator]();
  }

  /** The error for a request that is not a form. */
  static notAForm(): HttpError {
    return refusal(415, "NOT_MULTIPART", "the request must be a form of type multipart/form-data");
  }

  /**
   * Reads the form, and sets properties on the request. A closing application waits until a disconnected client's files
   * are removed.
   *
   * @throws {HttpError} If the form is rejected
   * @throws {unknown} The error from one of the program's functions, or from the disk
   */
  receive(): Promise<void> {
    const received = this.#receive();
    this.#settled = received.catch(() => {});
    // a disconnected client's files are removed in the background
    return new Promise((resolve, reject) => {
      this.#refuse = reject;
      received.then(resolve, reject);
    });
  }

  async #receive(): Promise<void> {
    const { requests } = this.#plan;
    requests.expire();
    this.#res.once("close", () => this.#closed());
    requests.watch(this.#res, () => this.#over());
    try {
      this.#begin();
      for (let part; (part = await this.#form.next()) !== undefined;) await this.#take(part);
      if (this.#left !== undefined) throw this.#left;
      this.#assertComplete();
    } catch (error) {
      const reason = this.#reasonOf(error);
      if (reason instanceof HttpError) await this.#sendOn();
      // not awaited: a read may be pending
      void this.#source.return?.();
      this.#memory.release();
      await this.#removeAll();
      // unless they belong to an earlier upload
      if (this.#filled.body === this.#body) this.#filled.file = this.#filled.files = undefined;
      throw reason;
    }
    this.#isDone = true;
    this.#memory.settle();
    if (this.#isOver) this.#over();
  }

  #begin(): void {
    const { limits, isByField } = this.#plan;
    if (this.#res.destroyed) throw this.#left = cutOff();
    if (this.#req.readableDidRead) {
      throw new TypeError("upload needs the body, but an earlier middleware has read it");
    }
    const coding = this.#req.get("content-encoding") ?? "identity";
    if (coding !== "identity") throw refusal(415, "UNSUPPORTED_TYPE", "the form is compressed");
    const boundary = boundaryOf(this.#req.get("content-type")!);
    if (boundary === undefined) throw refusal(400, "MALFORMED_FORM", "the form has no valid boundary");
    // unless a caller made up the header, this is the body length
    assertWithin(limits, "total", Number(this.#req.get("content-length")));
    this.#form = new MultipartReader({ next: () => this.#nextChunk() }, boundary);
    this.#filled.body = this.#body;
    this.#filled.files = isByField ? this.#filesByField : this.#files;
  }

  async #nextChunk(): Promise<IteratorResult<Uint8Array<ArrayBuffer>, undefined>> {
    const next = await new Promise<IteratorResult<Uint8Array<ArrayBuffer>>>((resolve, reject) => {
      this.#interrupt = reject;
      this.#source.next().then(resolve, reject);
    });
    if (this.#left !== undefined) throw this.#left;
    if (!next.done) this.#assertWithin("total", this.#received += next.value.length);
    return next;
  }

  #assertWithin(limit: FormLimit, value: number, field = this.#form.part?.name): void {
    assertWithin(this.#plan.limits, limit, value, field);
  }

  async #take({ name, filename, isUnchosen, mimetype }: PartHead): Promise<void> {
    this.#assertWithin("parts", ++this.#parts);
    if (!name) throw refusal(400, "MISSING_FIELD_NAME", "a part has no name");
    const { fieldNameSize } = this.#plan.limits;
    this.#assertWithin("fieldNameSize", new TextEncoder().encode(name).length, name.slice(0, fieldNameSize));
    // scripts that append a Blob give JSON a file name
    const isJson = mimetype === "application/json" && this.#plan.fields?.has(name) === false;
    if (filename === undefined || isJson) await this.#takeField(name);
    else if (!isUnchosen) await this.#takeFile({ fieldname: name, originalname: filename, mimetype });
  }

  async #takeField(name: string): Promise<void> {
    this.#assertWithin("fields", ++this.#fields);
    const value = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await collected(this.#contentOf("fieldSize")));
    // as in queries; copying the fields with Object.assign would set a prototype
    if (name === "__proto__") return;
    const present = this.#body[name];
    if (present === undefined) this.#body[name] = value;
    else if (typeof present === "string") this.#body[name] = [present, value];
    else present.push(value);
  }

  async #takeFile(claims: FileClaims): Promise<void> {
    const { fieldname, mimetype } = claims;
    this.#assertWithin("files", this.#files.length + 1);
    this.#assertExpected(fieldname, mimetype);
    const content = this.#contentOf("fileSize");
    const stored = await this.#plan.store.take(claims, content, this.#req);
    const file: UploadedFile = { ...claims, size: content.size, ...stored };
    this.#files.push(file);
    this.#filled.file ??= file;
    // only names that the program has declared
    if (this.#plan.fields !== undefined) (this.#filesByField[fieldname] ??= []).push(file);
  }

  #assertComplete(): void {
    for (const [name, { isRequired }] of this.#plan.fields ?? []) {
      if (isRequired && this.#filesByField[name] === undefined) {
        throw refusal(400, "MISSING_FILE", "a file is missing", name);
      }
    }
  }

  #assertExpected(name: string, mimetype: string): void {
    const { fields, types: general } = this.#plan;
    const field = fields?.get(name);
    if (fields !== undefined && field === undefined) {
      throw refusal(400, "LIMIT_UNEXPECTED_FILE", "a file was not expected", name);
    }
    if (field !== undefined && this.#filesByField[name]?.length === field.maxCount) {
      throw refusal(413, "LIMIT_UNEXPECTED_FILE", `more than ${field.maxCount} files were not expected`, name);
    }
    const types = field?.types ?? general;
    if (types === undefined || types.some((type) => isOfType(mimetype, type))) return;
    throw refusal(415, "UNSUPPORTED_TYPE", `a file must be of ${types.join(", ")}, not ${mimetype}`, name);
  }

  #contentOf(limit: "fieldSize" | "fileSize"): FileContent & { readonly size: number } {
    const content = {
      size: 0,
      read: async () => {
        const chunk = await this.#form.read();
        this.#assertWithin(limit, content.size += chunk?.length ?? 0);
        return chunk;
      },
      hold: (bytes: number) => {
        const most = this.#plan.limits.memory;
        const outcome = this.#memory.take(bytes, most);
        if (outcome !== "taken") throw memoryIsShort(most, outcome, this.#form.part?.name);
      },
      onAbort: (listener: (reason: Error) => void) => void (this.#abortListener = listener),
    };
    return content;
  }

  // a disconnected client's handler still has the files
  #over(): void {
    this.#isOver = true;
    this.#memory.release();
    if (this.#isDone && this.#plan.store.isTemporary) this.#req.waitUntil(this.#removeAll());
  }

  #closed(): void {
    if (this.#isDone) return;
    const reason = cutOff(this.#form?.part?.name);
    this.#leave(reason);
    // after the program has ended the response, the pending read may wait forever
    this.#interrupt(reason);
    this.#refuse(reason);
    if (this.#settled !== undefined) this.#req.waitUntil(this.#settled);
  }

  /** Stops reading, because other forms need its memory and this one is the slowest. */
  evict(): void {
    const reason = memoryIsShort(this.#plan.limits.memory, "slowest", this.#form.part?.name);
    this.#leave(reason);
    this.#interrupt(reason);
  }

  #leave(reason: HttpError): void {
    this.#left ??= reason;
    this.#abortListener?.(reason);
  }

  // the runtime's error for a disconnected client
  #reasonOf(error: unknown): unknown {
    if (error instanceof HttpError || (Object(error) as { code?: unknown }).code !== "ECONNRESET") return error;
    return cutOff(this.#form?.part?.name, error);
  }

  // A client that sends its whole body before reading would lose the response if the connection closed immediately. As
  // in the framework's parsers, the rest is discarded first, up to a time limit.
  async #sendOn(): Promise<void> {
    if (this.#left !== undefined || !/\bclose\b/i.test(this.#req.get("connection") ?? "")) return;
    let timer;
    const late = new Promise<void>((resolve) => timer = setTimeout(resolve, UNREAD_BODY_MS));
    await Promise.race([this.#discard(), late]);
    clearTimeout(timer);
  }

  async #discard(): Promise<void> {
    try {
      while (!(await this.#source.next()).done);
    } catch {
      // the client disconnected, or sends no more
    }
  }

  async #removeAll(): Promise<void> {
    for (const file of this.#files) {
      try {
        await this.#plan.store.remove?.(file, this.#req);
      } catch (error) {
        this.#req.app.reportError(error, { req: this.#req, phase: "handler" });
      }
    }
  }
}

function isOfType(mimetype: string, type: string): boolean {
  return type.endsWith("/*") ? mimetype.startsWith(type.slice(0, -1)) : mimetype === type;
}

function cutOff(field?: string, cause?: unknown): HttpError {
  return refusal(400, "ECONNRESET", "the upload was cut off", field, { cause });
}
