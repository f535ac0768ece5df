// The Inspector's command line, with one process for each request. It has no ping, asks no user, hears of no progress
// and takes nothing back; of an error it tells the message alone.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { main } from './checks.mjs';

const home = new URL('./node_modules/@modelcontextprotocol/inspector/', import.meta.url);
const { version, bin } = JSON.parse(readFileSync(new URL('package.json', home), 'utf8'));
const program = fileURLToPath(new URL(bin['mcp-inspector'], home));
const ERAS = { legacy: 'legacy', auto: 'auto' };
const ONE_MS = 20_000;

class CliError extends Error {}

class Client {
  constructor(mode) {
    this.era = ERAS[mode] ?? 'modern';
  }

  async connect(target) {
    this.target = target;
    this.agreed = await this.#ask('initialize');
  }

  #ask(method, ...argv) {
    const options = ['--protocol-era', this.era, '--method', method, ...argv, '--format', 'json', '--quiet'];
    const line = [program, '--cli', ...this.target, ...options];
    return new Promise((resolve, reject) => {
      // What it exits with is a kind of error, a tool's own as well.
      execFile(process.execPath, line, { timeout: ONE_MS }, (error, stdout, stderr) => {
        try {
          if (stdout) resolve(JSON.parse(stdout).result);
          else reject(new CliError(JSON.parse(stderr).error.message));
        } catch {
          reject(error ?? new CliError(`it says ${stdout}${stderr}`));
        }
      });
    });
  }

  listTools = () => this.#ask('tools/list');
  listResources = () => this.#ask('resources/list');
  listResourceTemplates = () => this.#ask('resources/templates/list');
  listPrompts = () => this.#ask('prompts/list');
  readResource = ({ uri }) => this.#ask('resources/read', '--uri', uri);
  callTool = ({ name, arguments: given }) =>
    this.#ask('tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(given));
  getPrompt({ name, arguments: given = {} }) {
    const pairs = Object.entries(given).map((pair) => pair.join('='));
    return this.#ask('prompts/get', '--prompt-name', name, ...(pairs.length > 0 ? ['--prompt-args', ...pairs] : []));
  }

  getServerVersion = () => this.agreed.serverInfo;
  close = async () => {};
}

await main({
  version,
  blind: true,
  can: (step) => step.do.includes('/') && !step.answers && !step.progress && !step.error,
  client: (mode) => new Client(mode),
  stdio: ({ command, env }) => [command, ...Object.entries(env).flatMap((pair) => ['-e', pair.join('=')])],
  sse: (url, { requestInit }) => target(url, 'sse', requestInit),
  http: (url, { requestInit }) => target(url, 'http', requestInit),
  onElicit: () => {},
  agreed: (client) => client.agreed.protocolVersion,
  call: (client, params) => client.callTool(params),
  isProtocolError: () => false,
});

function target(url, transport, { headers }) {
  const pairs = Object.entries(headers).map((header) => header.join(': '));
  return ['--server-url', url.href, '--transport', transport, ...(pairs.length > 0 ? ['--header', ...pairs] : [])];
}
