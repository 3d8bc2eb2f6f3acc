// Driver of the official TypeScript SDK, 1.x: `typescript_sdk_1.mjs URL`. See driven.py for its input and output.

import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Login, useTools } from "./typescript.mjs";

const url = new URL(process.argv[2]);
const login = await Login.listening("TypeScript SDK 1");

async function connect() {
  const client = new Client({ name: "typescript-sdk-1", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(url, { authProvider: login });
  try {
    await client.connect(transport);
    return client;
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    await transport.finishAuth((await login.answer()).get("code"));
    return connect();
  }
}

await useTools(await connect());
