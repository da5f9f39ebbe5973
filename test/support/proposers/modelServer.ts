import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

const Request = z.object({
  model: z.string(),
  max_tokens: z.number().optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).optional(),
});

/** A request as the server got it. */
export interface Asked extends z.infer<typeof Request> {
  readonly authorization: string | undefined;
  readonly path: string;
}

/** What a scripted model does with a request. */
export type Reply =
  | { readonly type: "json"; readonly body: unknown }
  | {
      readonly type: "raw";
      readonly status?: number;
      readonly headers?: Record<string, string>;
      readonly text: string;
    }
  | { readonly type: "hang" }
  | { readonly type: "flood" };

const answer = (message: object, usage: object): Reply => ({
  type: "json",
  body: {
    ...{ id: "x", object: "chat.completion", created: 1, model: "scripted" },
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
    usage,
  },
});

const usual = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };

/** A model that calls tools; a text in place of arguments is sent as it is. */
export const calls = (...asked: readonly { readonly name: string; readonly args: unknown }[]): Reply =>
  answer(
    {
      content: null,
      tool_calls: asked.map(({ name, args }, i) => ({
        ...{ id: `call-${i}`, type: "function" },
        function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
      })),
    },
    usual,
  );

export const words = (content: string, usage: object = usual): Reply => answer({ content }, usage);

export const handsOver = (...drafts: readonly unknown[]): Reply =>
  calls({ name: "hand_over_drafts", args: { drafts } });

/** An OpenAI-compatible server on this machine that answers by a script, the last reply again and again; or by what it is asked. */
export async function startModelServer(...script: readonly (Reply | ((asked: Asked) => Reply))[]) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      let text = "";
      for await (const part of request.setEncoding("utf8")) text += String(part);
      const body = Request.parse(JSON.parse(text));
      const one = { ...body, authorization: request.headers.authorization, path: request.url ?? "" };
      asked.push(one);
      const next = script[Math.min(asked.length, script.length) - 1] ?? { type: "hang" };
      reply(response, typeof next === "function" ? next(one) : next);
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    asked,
    url: `http://127.0.0.1:${port}/v1`,
    async close(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function reply(response: ServerResponse, given: Reply): void {
  switch (given.type) {
    case "json":
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(given.body));
      return;
    case "raw":
      response
        .writeHead(given.status ?? 200, { "content-type": "application/json", ...given.headers })
        .end(given.text);
      return;
    case "hang":
      return;
    case "flood": {
      response.writeHead(200, { "content-type": "application/json" });
      const pour = (): void => {
        while (!response.destroyed && response.write(" ".repeat(64 * 1024)));
      };
      response.on("drain", pour);
      pour();
    }
  }
}
