import type { FileContent, FileStore, TakeFile, UploadedFile } from "./uploaded_file.ts";
import type { Request } from "@sluice/sluice";

/**
 * Passes files to a function of the program.
 *
 * @param takeFile The function
 * @param remove Removes what it has kept
 */
export function functionStore(takeFile: TakeFile, remove?: (file: UploadedFile, req: Request) => unknown): FileStore {
  return {
    async take(claims, content, req) {
      const body = new FileBody(content);
      const value = await body.during(() => takeFile({ ...claims, stream: body.stream }, req));
      return { value };
    },
    ...(remove === undefined ? {} : { remove }),
  };
}

const RETURNED =
  "The function that an uploaded file was given to has returned, and the rest of the file is discarded: " +
  "return a promise for when it has been read";

/** The stream of a file, which nothing is read for that nobody asks for. */
class FileBody {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly #content: FileContent;
  #controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  /** What the function asked for last; it need not have waited for it. */
  #reading: Promise<void> = Promise.resolve();
  /** Whether the stream has ended, or nobody wants more of it. */
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(content: FileContent) {
    this.#content = content;
    content.onLeave((reason) => this.#fail(reason));
    this.stream = new ReadableStream({
      start: (controller) => void (this.#controller = controller),
      pull: () => this.#reading = this.#pull(),
      cancel: () => void (this.#isOver = true),
    }, { highWaterMark: 0 });
  }

  /** Runs the function, and discards what it leaves of the stream. */
  async during<T>(run: () => T): Promise<Awaited<T>> {
    let value: Awaited<T>;
    try {
      value = await run();
    } catch (error) {
      // the reason rather than what became of it
      throw this.#failure === undefined ? error : this.#failure.error;
    }
    await this.#reading;
    if (this.#failure !== undefined) throw this.#failure.error;
    if (!this.#isOver) this.#end((controller) => controller.error(new TypeError(RETURNED)));
    while (await this.#content.read() !== undefined);
    return value;
  }

  async #pull(): Promise<void> {
    try {
      const chunk = await this.#content.read();
      if (this.#isOver) return;
      if (chunk === undefined) this.#end((controller) => controller.close());
      else this.#controller.enqueue(chunk);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    if (!this.#isOver) this.#end((controller) => controller.error(error));
  }

  #end(how: (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => void): void {
    this.#isOver = true;
    how(this.#controller);
  }
}
