// A real OAuth 2.1 and OpenID Connect provider on loopback, for tests and for trying things out.
//
//     provider.mjs [--port N] [--path /PATH] [--discovery openid|oauth] [--stay]
//
// Prints `provider ISSUER control URL` when it is there; ends when its stdin does, unless it is to stay. --discovery says which of the two
// discovery documents it has. Any absolute URL is a resource; the client decides what its tokens look like (clients.mjs).
// Users sign in by naming themselves in `login_hint`.
//
// The control URL takes POSTs:
//
//     /up, /down, /silent   it answers; its port is closed; it takes requests and never answers
//     /rotate               new keys; the old ones are gone from its key set
//     /revoke               the opaque token in the body is worth nothing from now on
//     /sign                 {claims, header, key}: a JWT under its key for RS256, or ES256, or `unpublished`
//     /counts               how often its discovery, key set, token and introspection addresses were asked

import { createHmac, createPublicKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import Provider from 'oidc-provider';
import { CALLBACK, CLIENTS, secretOf, USE } from './clients.mjs';

const { values: args } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    path: { type: 'string', default: '' },
    discovery: { type: 'string', default: 'openid' },
    stay: { type: 'boolean', default: false },
  },
});

// ---------------------------------------------------------------- keys

let keys;
function newKeys() {
  const named = (pair, alg) => ({ alg, kid: randomUUID(), ...pair });
  keys = {
    RS256: named(generateKeyPairSync('rsa', { modulusLength: 2048 }), 'RS256'),
    ES256: named(generateKeyPairSync('ec', { namedCurve: 'P-256' }), 'ES256'),
  };
}
// In no key set.
const unpublished = { alg: 'RS256', kid: randomUUID(), ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };

function signed({ claims, header = {}, key = 'RS256' }) {
  const own = keys[key] ?? unpublished;
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const whole = { typ: 'at+jwt', alg: own.alg, kid: own.kid, ...header };
  const input = `${encode(whole)}.${encode(claims)}`;
  let signature = '';
  if (/^HS/i.test(whole.alg)) {
    // The public key, which is no secret, taken for one.
    const pem = createPublicKey(own.privateKey).export({ type: 'spki', format: 'pem' });
    signature = createHmac('sha256', pem).update(input).digest('base64url');
  } else if (!/^none$/i.test(whole.alg)) {
    signature = sign('sha256', Buffer.from(input), { key: own.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url');
  }
  return `${input}.${signature}`;
}

// ---------------------------------------------------------------- the provider

/** What the provider remembers; it outlives a rotation. */
const stored = new Map();
class Adapter {
  constructor(model) {
    this.key = (id) => `${model}:${id}`;
  }
  async upsert(id, payload) {
    stored.set(this.key(id), payload);
  }
  async find(id) {
    return stored.get(this.key(id));
  }
  async findByUid(uid) {
    return [...stored.values()].find((payload) => payload.uid === uid);
  }
  async consume(id) {
    stored.get(this.key(id)).consumed = Math.floor(Date.now() / 1000);
  }
  async destroy(id) {
    stored.delete(this.key(id));
  }
  async revokeByGrantId(grantId) {
    for (const [key, payload] of stored) if (payload.grantId === grantId) stored.delete(key);
  }
}

const seconds = (ctx, token, client) => CLIENTS[client.clientId].seconds ?? 3600;

function build(issuer) {
  return new Provider(issuer, {
    adapter: Adapter,
    jwks: { keys: Object.values(keys).map(({ privateKey, alg, kid }) => ({ ...privateKey.export({ format: 'jwk' }), alg, kid, use: 'sig' })) },
    cookies: { keys: ['loopback'] },
    clients: Object.entries(CLIENTS).map(([id, { scope, code, introspects }]) => ({
      client_id: id,
      client_secret: secretOf(id),
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: code ? ['authorization_code'] : introspects ? [] : ['client_credentials'],
      response_types: code ? ['code'] : [],
      redirect_uris: code ? [CALLBACK] : [],
      ...((scope || code) && { scope: code ? `openid ${scope}` : scope }),
    })),
    scopes: ['openid', 'admin', ...USE.split(' '), 'mcp:list:all', 'mcp:listing'],
    pkce: { required: () => true },
    interactions: { url: (ctx, { uid }) => `${args.path}/interaction/${uid}` },
    ttl: { AccessToken: seconds, ClientCredentials: seconds, IdToken: 3600, Grant: 3600, Session: 3600, Interaction: 600, AuthorizationCode: 60 },
    findAccount: (ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    renderError: (ctx, out) => {
      ctx.type = 'json';
      ctx.body = out;
    },
    // Whoever signs in agrees to everything.
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope(oidc.params.scope);
      for (const resource of Object.keys(oidc.resourceServers)) grant.addResourceScope(resource, CLIENTS[oidc.client.clientId].scope);
      await grant.save();
      return grant;
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: (ctx, client) => CLIENTS[client.clientId].introspects === true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (ctx, resource, client) => {
          const { opaque, alg = 'RS256', scope } = CLIENTS[client.clientId];
          return { scope, audience: resource, accessTokenFormat: opaque ? 'opaque' : 'jwt', jwt: { sign: { alg } } };
        },
      },
    },
  });
}

// ---------------------------------------------------------------- the two ports

const counts = { discovery: 0, jwks: 0, token: 0, introspection: 0 };
let silent = false;
let issuer;
let provider;

const server = createServer(async (req, res) => {
  if (silent) return;
  const { pathname } = new URL(req.url, 'http://127.0.0.1');
  const document = { openid: `${args.path}/.well-known/openid-configuration`, oauth: `/.well-known/oauth-authorization-server${args.path}` };
  req.originalUrl = req.url;
  if (Object.values(document).includes(pathname)) {
    counts.discovery += 1;
    if (pathname !== document[args.discovery]) {
      res.writeHead(404).end();
      return;
    }
    req.url = `/.well-known/${args.discovery === 'openid' ? 'openid-configuration' : 'oauth-authorization-server'}`;
    req.originalUrl = `${args.path}${req.url}`;
  } else if (args.path && pathname.startsWith(`${args.path}/`)) {
    req.url = req.url.slice(args.path.length);
  } else if (args.path) {
    res.writeHead(404).end();
    return;
  }
  const counted = { '/jwks': 'jwks', '/token': 'token', '/token/introspection': 'introspection' }[req.url];
  if (counted) counts[counted] += 1;
  if (req.url.startsWith('/interaction/')) {
    const { params } = await provider.interactionDetails(req, res);
    await provider.interactionFinished(req, res, { login: { accountId: params.login_hint } });
    return;
  }
  provider.callback()(req, res);
});

async function listen(port) {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

const actions = {
  async up() {
    silent = false;
    if (!server.listening) await listen(new URL(issuer).port);
    // Whoever still waits for an answer will get none.
    else server.closeAllConnections();
  },
  down() {
    server.close();
    server.closeAllConnections();
  },
  silent() {
    silent = true;
  },
  rotate() {
    newKeys();
    provider = build(issuer);
  },
  revoke(token) {
    for (const model of ['AccessToken', 'ClientCredentials']) stored.delete(`${model}:${token}`);
  },
  sign: (body) => signed(JSON.parse(body)),
  counts: () => JSON.stringify(counts),
};

const control = createServer(async (req, res) => {
  let body = '';
  for await (const chunk of req) body += chunk;
  const action = req.method === 'POST' && actions[req.url.slice(1)];
  if (action) res.end(await action(body));
  else res.writeHead(404).end();
});

newKeys();
await listen(Number(args.port));
issuer = `http://127.0.0.1:${server.address().port}${args.path}`;
provider = build(issuer);
control.listen(0, '127.0.0.1');
await once(control, 'listening');
console.log(`provider ${issuer} control http://127.0.0.1:${control.address().port}`);
if (!args.stay) process.stdin.on('end', () => process.exit()).resume();
