// Who is registered with provider.mjs: what they may ask for, and what their tokens are.

export const USE = 'mcp:use mcp:list';
export const CALLBACK = 'https://client.example.com/callback';

/** Those with a `code` act for users, the others for themselves. A secret is `ID-secret` unless it is given. */
export const CLIENTS = {
  caller: { scope: USE },
  'caller-es256': { scope: USE, alg: 'ES256' },
  'caller-opaque': { scope: USE, opaque: true },
  administrator: { scope: `${USE} admin` },
  'administrator-opaque': { scope: `${USE} admin`, opaque: true },
  half: { scope: 'mcp:use' },
  'half-opaque': { scope: 'mcp:use', opaque: true },
  lookalike: { scope: 'mcp:use mcp:list:all mcp:listing' },
  scopeless: { scope: '' },
  brief: { scope: USE, seconds: 3 },
  'brief-opaque': { scope: USE, opaque: true, seconds: 4 },
  web: { scope: USE, code: true },
  'web-opaque': { scope: USE, code: true, opaque: true },
  'web-other': { scope: USE, code: true },
  // Its ID tokens are for a client that is called like a resource.
  'https://api.example.com': { scope: USE, code: true },
  // What the example `oauth` is at the provider.
  example: { scope: '', introspects: true },
  // The resource server's own, with all that has to be escaped in Basic credentials.
  'mcp:server': { scope: '', introspects: true, secret: '100% "se+cret": /&=?' },
};

export const secretOf = (id) => CLIENTS[id].secret ?? `${id}-secret`;
