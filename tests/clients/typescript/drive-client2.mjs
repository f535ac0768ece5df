// @modelcontextprotocol/client 2.x. By default it uses the `initialize` handshake; with `--mode auto` it asks
// `server/discover` first, and with a version for `--mode` it takes no other.

import { readFileSync } from 'node:fs';
import {
  Client,
  ProtocolError,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { main } from './checks.mjs';

const manifest = new URL('./node_modules/@modelcontextprotocol/client/package.json', import.meta.url);
const negotiation = (mode) => (['legacy', 'auto'].includes(mode) ? { mode } : { mode: { pin: mode } });

await main({
  version: JSON.parse(readFileSync(manifest, 'utf8')).version,
  client: (mode) =>
    new Client(
      { name: 'drive-client2', version: '1.0.0' },
      { capabilities: { elicitation: {} }, versionNegotiation: negotiation(mode) },
    ),
  stdio: (options) => new StdioClientTransport(options),
  sse: (url, options) => new SSEClientTransport(url, options),
  http: (url, options) => new StreamableHTTPClientTransport(url, options),
  SseError,
  onElicit: (client, handler) => client.setRequestHandler('elicitation/create', handler),
  agreed: (client) => client.getNegotiatedProtocolVersion(),
  call: (client, params, options) => client.callTool(params, options),
  isProtocolError: (error) => error instanceof ProtocolError,
  // It shows a resource that is not there by the newest version's code; on the wire -32002 is checked all the same.
  shows: (error) => (error.code === -32002 ? { ...error, code: -32602 } : error),
});
