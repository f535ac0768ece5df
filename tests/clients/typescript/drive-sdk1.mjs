// @modelcontextprotocol/sdk 1.x. Its 1.x client knows the `initialize` handshake only.

import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SseError, SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import { main } from './checks.mjs';

const manifest = new URL('./node_modules/@modelcontextprotocol/sdk/package.json', import.meta.url);

await main({
  version: JSON.parse(readFileSync(manifest, 'utf8')).version,
  client: () => new Client({ name: 'drive-sdk1', version: '1.0.0' }, { capabilities: { elicitation: {} } }),
  stdio: (options) => new StdioClientTransport(options),
  sse: (url, options) => new SSEClientTransport(url, options),
  http: (url, options) => new StreamableHTTPClientTransport(url, options),
  SseError,
  onElicit: (client, handler) => client.setRequestHandler(ElicitRequestSchema, handler),
  call: (client, params, options) => client.callTool(params, undefined, options),
  isProtocolError: (error) => error instanceof McpError,
});
