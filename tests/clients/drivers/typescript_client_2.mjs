// Driver of the official TypeScript client, 2.x: `typescript_client_2.mjs URL`. See driven.py for its input and output.

import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import { Login, useTools } from "./typescript.mjs";

const url = new URL(process.argv[2]);
const login = await Login.listening("TypeScript client 2");

async function connect() {
  const client = new Client({ name: "typescript-client-2", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(url, { authProvider: login });
  try {
    await client.connect(transport);
    return client;
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    await transport.finishAuth(await login.answer());
    return connect();
  }
}

await useTools(await connect());
