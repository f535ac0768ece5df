// @modelcontextprotocol/sdk 1.x. Its 1.x client knows the `initialize` handshake only.

import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SseError, SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { main } from './checks.mjs';

const manifest = new URL('./node_modules/@modelcontextprotocol/sdk/package.json', import.meta.url);

await main({
  version: JSON.parse(readFileSync(manifest, 'utf8')).version,
  handshake: () => ['initialize', 'notifications/initialized'],
  client: () => new Client({ name: 'drive-sdk1', version: '1.0.0' }),
  stdio: (options) => new StdioClientTransport(options),
  sse: (url, options) => new SSEClientTransport(url, options),
  SseError,
  call: (client, params, options) => client.callTool(params, undefined, options),
  isProtocolError: (error) => error instanceof McpError,
});
