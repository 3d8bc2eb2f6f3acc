// The official TypeScript client, 2.x, with a program that it starts: `… COMMAND…`, then as driven.py says.

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { useTools } from "./typescript.mjs";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "typescript-client-2", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
await useTools(client);
