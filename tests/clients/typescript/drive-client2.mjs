// @modelcontextprotocol/client 2.x. By default it uses the `initialize` handshake; with `--mode auto`
// it asks `server/discover` first.

import { readFileSync } from 'node:fs';
import { Client, ProtocolError, SSEClientTransport, SseError } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { main } from './checks.mjs';

const manifest = new URL('./node_modules/@modelcontextprotocol/client/package.json', import.meta.url);
const initialize = ['initialize', 'notifications/initialized'];

await main({
  version: JSON.parse(readFileSync(manifest, 'utf8')).version,
  // Over stdio the question goes to a second process, whose messages are not seen here.
  handshake: (mode, stdio) => (mode === 'auto' && !stdio ? ['server/discover', ...initialize] : initialize),
  client: (mode) =>
    new Client(
      { name: 'drive-client2', version: '1.0.0' },
      mode === 'default' ? undefined : { versionNegotiation: { mode } },
    ),
  stdio: (options) => new StdioClientTransport(options),
  sse: (url, options) => new SSEClientTransport(url, options),
  SseError,
  call: (client, params, options) => client.callTool(params, options),
  isProtocolError: (error) => error instanceof ProtocolError,
  // It shows a resource that is not there by the newest version's code; on the wire -32002 is checked all the same.
  shows: (error) => (error.code === -32002 ? { ...error, code: -32602 } : error),
});
