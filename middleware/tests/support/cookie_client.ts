/** What is asked, such as an application. */
interface Asked {
  /** Sends a request. */
  inject(target: string, init?: RequestInit): Promise<Response>;
}

/** A client that keeps cookies, as a browser does for one host. */
export class CookieClient {
  /** The cookies by name. */
  readonly cookies: Map<string, string>;
  /** The lines of `Set-Cookie` of the last response. */
  setCookies: string[] = [];
  readonly #asked: Asked;
  readonly #origin: string;

  /**
   * @param asked What it asks
   * @param origin Where that is
   * @param cookies The cookies it begins with
   */
  constructor(asked: Asked, origin = "http://localhost", cookies: Iterable<[string, string]> = []) {
    this.#asked = asked;
    this.#origin = origin;
    this.cookies = new Map(cookies);
  }

  /** Another client with the same cookies: whoever has stolen them, or a second request at the same time. */
  copy(): CookieClient {
    return new CookieClient(this.#asked, this.#origin, this.cookies);
  }

  /** Sends a request with the cookies, and keeps those of the response. */
  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.cookies.size > 0) headers.set("cookie", Array.from(this.cookies, (pair) => pair.join("=")).join("; "));
    const response = await this.#asked.inject(this.#origin + path, { ...init, headers });
    this.setCookies = response.headers.getSetCookie();
    for (const line of this.setCookies) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (/expires=Thu, 01 Jan 1970/i.test(line)) this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
    return response;
  }

  /** Sends a request and reads the text. */
  async text(path: string, init?: RequestInit): Promise<string> {
    return await (await this.ask(path, init)).text();
  }

  /** Sends a request and reads the JSON. */
  async json(path: string, init?: RequestInit): Promise<unknown> {
    return await (await this.ask(path, init)).json();
  }
}
