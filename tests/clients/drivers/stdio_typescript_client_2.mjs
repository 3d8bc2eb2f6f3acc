// Driver of the official TypeScript client, 2.x, with a server that it starts: `… COMMAND…`. See driven.py.

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { useTools } from "./typescript.mjs";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "typescript-client-2", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
await useTools(client);
