// rmcp, the official Rust client, by the program of ../rust, whose path is in RMCP_DRIVER. It tells of nothing that goes
// over its connection.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { main } from './checks.mjs';

class ProtocolError extends Error {
  constructor({ code, message }) {
    super(message);
    this.code = code;
  }
}

class Refused extends Error {
  constructor({ refused, challenge }) {
    super(refused);
    // It keeps the challenge of a 401 alone.
    if (challenge) Object.assign(this, { challenge, status: 401 });
  }
}

/** The methods of the TypeScript clients that the checks use. */
class Client {
  #pending = new Map();
  #elicit;
  #progress;
  #child;
  #ended;

  constructor(mode) {
    this.mode = mode;
  }

  onElicit(handler) {
    this.#elicit = handler;
  }

  async connect({ argv, env }) {
    this.#child = spawn(process.env.RMCP_DRIVER, ['--mode', this.mode, ...argv], {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#ended = new Promise((resolve) => this.#child.on('close', resolve));
    const first = new Promise((resolve, reject) => {
      this.#child.on('error', reject);
      this.#ended.then(() => reject(new Error('drive-rmcp ended')));
      createInterface({ input: this.#child.stdout }).on('line', (line) => {
        const message = JSON.parse(line);
        if ('agreed' in message) resolve(message);
        else if ('refused' in message) reject(new Refused(message));
        else this.#hear(message);
      });
    });
    this.agreed = await first;
  }

  #hear({ id, asked, progress, result, error, fault }) {
    if (asked) this.#say({ answer: this.#elicit({ params: asked }) });
    else if (progress) this.#progress?.({ progress: progress[0], total: progress[1] });
    else {
      const { resolve, reject } = this.#pending.get(id) ?? {};
      this.#pending.delete(id);
      if (result) resolve?.(result);
      else reject?.(error ? new ProtocolError(error) : new Error(fault));
    }
  }

  #say(message) {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #id = 0;

  #ask(method, params = null, { signal, onprogress } = {}) {
    const id = (this.#id += 1);
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      if (onprogress) this.#progress = onprogress;
      signal?.addEventListener('abort', () => {
        this.#say({ cancel: id });
        this.#pending.delete(id);
        reject(signal.reason);
      });
      this.#say({ id, do: method, params });
    });
  }

  ping = () => this.#ask('ping');
  listTools = (params) => this.#ask('tools/list', params);
  callTool = (params, options) => this.#ask('tools/call', params, options);
  listResources = (params) => this.#ask('resources/list', params);
  listResourceTemplates = (params) => this.#ask('resources/templates/list', params);
  readResource = (params) => this.#ask('resources/read', params);
  listPrompts = (params) => this.#ask('prompts/list', params);
  getPrompt = (params) => this.#ask('prompts/get', params);
  getServerVersion = () => this.agreed;

  async close() {
    this.#child?.stdin.end();
    await this.#ended;
  }
}

await main({
  version: process.env.RMCP_VERSION,
  blind: true,
  client: (mode) => new Client(mode),
  stdio: ({ command, env }) => ({ argv: ['--stdio', command], env }),
  http: (url, { requestInit }) => {
    const headers = Object.entries(requestInit.headers).flatMap((header) => ['--header', header.join('=')]);
    return { argv: ['--http', url.href, ...headers] };
  },
  onElicit: (client, handler) => client.onElicit(handler),
  agreed: (client) => client.agreed.agreed,
  call: (client, params, options) => client.callTool(params, options),
  isProtocolError: (error) => error instanceof ProtocolError,
});
