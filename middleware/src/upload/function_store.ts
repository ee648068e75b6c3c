import type { FileStore, TakeFile, UploadedFile } from "./uploaded_file.ts";
import type { Request } from "@sluice/sluice";

/**
 * Passes files to one of the program's functions.
 *
 * @param takeFile The function
 * @param remove Removes a file that it has stored
 */
export function functionStore(takeFile: TakeFile, remove?: (file: UploadedFile, req: Request) => unknown): FileStore {
  return {
    remove,
    async take(claims, content, req) {
      let controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
      let isOver = false;
      let failure: unknown;
      // the function's last read, which it need not have awaited
      let reading: Promise<void> | undefined;
      const end = (how: () => void): void => {
        if (!isOver) how();
        isOver = true;
      };
      const fail = (error: unknown): void => {
        failure ??= error;
        end(() => controller.error(error));
      };
      const pass = (chunk: Uint8Array<ArrayBuffer> | undefined): void => {
        if (chunk === undefined) end(() => controller.close());
        else if (!isOver) controller.enqueue(chunk);
      };
      content.onAbort(fail);
      // reads only on demand
      const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
        start: (given) => void (controller = given),
        pull: () => reading = content.read().then(pass).catch(fail),
        cancel: () => void (isOver = true),
      }, { highWaterMark: 0 });
      try {
        const value = await takeFile({ ...claims, stream }, req);
        await reading;
        if (failure !== undefined) throw failure;
        end(() =>
          controller.error(new TypeError("the function settled too early: it must wait until its file is read"))
        );
        while (await content.read() !== undefined);
        return { value };
      } catch (error) {
        // the cause instead of its consequence
        throw failure ?? error;
      }
    },
  };
}
