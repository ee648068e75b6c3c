import "reflect-metadata";
import {
  Bind,
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  HttpException,
  Injectable,
  Module,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Query,
  Redirect,
  Req,
  Res,
  StreamableFile,
  UploadedFile,
  UseGuards,
  UseInterceptors,
} from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { FileInterceptor } from "@nestjs/platform-express";

// decorators without a compiler: https://docs.nestjs.com, in the form for JavaScript
class Guard {
  canActivate(context) {
    return context.switchToHttp().getRequest().get("x-key") === "right";
  }
}
Injectable()(Guard);

class Cats {
  all(query) {
    return { query };
  }
  one(id) {
    if (id === 404) throw new NotFoundException("no such cat");
    return { id };
  }
  make(body) {
    return body;
  }
  refused() {
    throw new HttpException({ reason: "teapot" }, 418);
  }
  broken() {
    throw new Error("broken");
  }
  moved() {}
  text() {
    return "text";
  }
  stream() {
    return new StreamableFile(Buffer.from("streamed"), {
      type: "text/plain",
      disposition: 'attachment; filename="a.txt"',
    });
  }
  raw(request, response) {
    response.status(202).set("X-Raw", "1").json({ url: request.url, path: request.route.path, ip: typeof request.ip });
  }
  secret() {
    return { secret: true };
  }
  upload(file, body) {
    return { name: file?.originalname, size: file?.size, note: body.note };
  }
  later() {
    return Promise.resolve([1, 2]);
  }
}

/** Decorates a method and its parameters. */
function decorate(name, decorators, ...parameters) {
  const descriptor = () => Object.getOwnPropertyDescriptor(Cats.prototype, name);
  for (const decorator of [Bind(...parameters), ...decorators]) {
    Object.defineProperty(Cats.prototype, name, decorator(Cats.prototype, name, descriptor()) ?? descriptor());
  }
}

decorate("all", [Get()], Query());
decorate("refused", [Get("refused")]);
decorate("broken", [Get("broken")]);
decorate("moved", [Get("moved"), Redirect("/cats/1", 301)]);
decorate("text", [Get("text"), Header("Cache-Control", "no-store")]);
decorate("stream", [Get("stream")]);
decorate("raw", [Get("raw/:x")], Req(), Res());
decorate("secret", [Get("secret"), UseGuards(Guard)]);
decorate("later", [Get("later")]);
decorate("one", [Get(":id")], Param("id", ParseIntPipe));
decorate("make", [Post(), HttpCode(201)], Body());
decorate("upload", [Post("upload"), UseInterceptors(FileInterceptor("file"))], UploadedFile(), Body());
Controller("cats")(Cats);

class App {
  configure(consumer) {
    consumer.apply((_req, res, next) => {
      res.setHeader("X-Middleware", "ran");
      next();
    }).forRoutes("cats");
  }
}
Module({ controllers: [Cats] })(App);

export async function start() {
  const app = await NestFactory.create(App, { logger: false, rawBody: true });
  app.enableCors({ origin: "http://one.example" });
  app.setGlobalPrefix("api", { exclude: ["health"] });
  app.useBodyParser("text");
  await app.listen(0, "127.0.0.1");
  return { server: app.getHttpServer(), close: () => app.close() };
}
