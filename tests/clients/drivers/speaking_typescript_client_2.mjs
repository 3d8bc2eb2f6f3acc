// The official TypeScript client, 2.x: `… URL TRANSPORT`. It answers a request for a name, receives
// progress and log messages, and prints all of them as JSON. TRANSPORT is "http" or "sse".

import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const [url, kind] = process.argv.slice(2);
const Transport = { http: StreamableHTTPClientTransport, sse: SSEClientTransport }[kind];
const client = new Client({ name: "typescript-client-2", version: "1.0.0" }, { capabilities: { elicitation: {} } });
const heard = { asked: [], progress: [], logged: [] };
client.setRequestHandler("elicitation/create", (request) => {
  heard.asked.push(request.params.message);
  return { action: "accept", content: { name: "Alice", color: "blue" } };
});
client.setNotificationHandler("notifications/message", (told) => heard.logged.push(told.params.data));
await client.connect(new Transport(new URL(url)));
const asked = await client.callTool({ name: "test_input_required_result_multi_round", arguments: {} });
const onprogress = (told) => heard.progress.push(told.progress);
await client.callTool({ name: "test_tool_with_progress", arguments: {} }, { onprogress });
await client.setLoggingLevel("info");
await client.callTool({ name: "test_tool_with_logging", arguments: {} });
console.log(JSON.stringify({ ...heard, said: asked.content[0].text }));
await client.close();
