// Shared code of the drivers with either of the official TypeScript packages.

import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

// An OAuth provider for the package: it stores tokens in files, opens the browser, and receives its redirect.
export class Login {
  static async listening(clientName) {
    const login = new Login();
    login.name = clientName;
    login.returned = new Promise((resolve) => {
      login.server = createServer((request, response) => {
        response.end();
        resolve(new URL(request.url, login.redirectUrl).searchParams);
      });
    });
    await new Promise((resolve) => login.server.listen(0, "127.0.0.1", resolve));
    return login;
  }

  get redirectUrl() {
    return `http://127.0.0.1:${this.server.address().port}/callback`;
  }

  get clientMetadata() {
    return { client_name: this.name, redirect_uris: [this.redirectUrl] };
  }

  clientInformation() {
    return read("client.json");
  }

  saveClientInformation(information) {
    write("client.json", information);
  }

  tokens() {
    return read("tokens.json");
  }

  saveTokens(tokens) {
    write("tokens.json", tokens);
  }

  invalidateCredentials(which) {
    if (which === "all" || which === "client") forget("client.json");
    if (which === "all" || which === "tokens") forget("tokens.json");
  }

  codeVerifier() {
    return this.verifier;
  }

  saveCodeVerifier(verifier) {
    this.verifier = verifier;
  }

  redirectToAuthorization(url) {
    spawn(process.env.BROWSER, [url.href], { stdio: "ignore" });
  }

  async answer() {
    const answer = await this.returned;
    if (answer.has("error")) throw new Error(answer.get("error"));
    return answer;
  }
}

export async function useTools(client) {
  const { tools } = await client.listTools();
  console.log(JSON.stringify(tools.map((tool) => tool.name)));
  for await (const line of createInterface({ input: process.stdin })) {
    const { structuredContent } = await client.callTool(JSON.parse(line));
    console.log(JSON.stringify(structuredContent));
  }
  // The listener for the redirect would keep the process alive.
  process.exit();
}

function read(name) {
  const path = join(homedir(), name);
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}

function write(name, value) {
  writeFileSync(join(homedir(), name), JSON.stringify(value));
}

function forget(name) {
  rmSync(join(homedir(), name), { force: true });
}
