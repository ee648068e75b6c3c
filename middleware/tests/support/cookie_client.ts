/** A target for requests, such as an application. */
interface Asked {
  inject(target: string, init?: RequestInit): Promise<Response>;
}

/** A client that keeps cookies, as a browser does for one host. */
export class CookieClient {
  /** Cookies by name. */
  readonly cookies: Map<string, string>;
  /** The last response's `Set-Cookie` lines. */
  setCookies: string[] = [];
  readonly #asked: Asked;
  readonly #origin: string;

  /**
   * @param asked The requests' target
   * @param origin Its origin
   * @param cookies Initial cookies
   */
  constructor(asked: Asked, origin = "http://localhost", cookies: Iterable<[string, string]> = []) {
    this.#asked = asked;
    this.#origin = origin;
    this.cookies = new Map(cookies);
  }

  /** A second client with the same cookies: a thief, or a concurrent request. */
  copy(): CookieClient {
    return new CookieClient(this.#asked, this.#origin, this.cookies);
  }

  /** Sends a request with the cookies, and keeps the response's. */
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

  /** Sends a request and returns the body as a string. */
  async text(path: string, init?: RequestInit): Promise<string> {
    return await (await this.ask(path, init)).text();
  }

  /** Sends a request and parses the JSON body. */
  async json(path: string, init?: RequestInit): Promise<unknown> {
    return await (await this.ask(path, init)).json();
  }
}
