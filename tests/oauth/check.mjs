// Checks the example server `everything` as an OAuth 2.1 resource server, against the provider of provider.mjs.
//
//     check.mjs --server BINARY --logs DIR [--only TEXT]
//
// One line a case. What has to wait (rotation, revocation, expiry) waits together at the end.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { request as send } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client, ClientCredentialsProvider, SSEClientTransport } from '@modelcontextprotocol/client';
import { CALLBACK, CLIENTS, secretOf, USE } from './clients.mjs';

const { values: args } = parseArgs({
  options: { server: { type: 'string' }, logs: { type: 'string' }, only: { type: 'string', default: '' } },
});
const REQUIRED = USE.split(' ');
const INTROSPECTOR = 'mcp:server';
const METADATA = '/.well-known/oauth-protected-resource';
/** A session that nobody has. */
const NOWHERE = '/messages?sessionId=00000000-0000-4000-8000-000000000000';
const ANSWER_MS = 15_000;
const START_MS = 20_000;

const words = (list) => [...(typeof list === 'string' ? list.split(' ') : list)].filter(Boolean).sort();
const now = () => Math.floor(Date.now() / 1000);

// ---------------------------------------------------------------- processes

const children = [];
/** Nothing of this may be in what a server writes. */
const secrets = new Set([secretOf(INTROSPECTOR), encodeURIComponent(secretOf(INTROSPECTOR)), basic(INTROSPECTOR)]);

function basic(id) {
  return Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secretOf(id))}`).toString('base64');
}

class Child {
  output = '';

  constructor(name, command, argv, env = {}) {
    this.name = name;
    const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith('MCP_'));
    this.process = spawn(command, argv, { env: { ...Object.fromEntries(inherited), ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
    const log = createWriteStream(`${args.logs}/${name}.log`);
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        this.output += text;
        log.write(text);
      });
    }
    this.exit = new Promise((resolve) => {
      this.process.on('error', (error) => resolve(`${error}`));
      this.process.on('close', (code, signal) => resolve(signal ?? code));
    }).then((code) => (this.exited = { code }));
    children.push(this);
  }

  /** The first line of its output that matches. */
  async says(pattern, ms = START_MS) {
    const found = () => pattern.exec(this.output);
    await until(`${this.name} says ${pattern}`, ms, () => found() || this.exited);
    assert.ok(found(), `${this.name} ended: ${this.output.slice(-300)}`);
    return found();
  }

  async stop() {
    this.process.kill('SIGTERM');
    if (!(await Promise.race([this.exit, sleep(3_000)]))) this.process.kill('SIGKILL');
  }
}

process.on('exit', () => children.forEach((child) => child.process.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));

class Server extends Child {
  static env(provider, more = {}) {
    return {
      MCP_AUTH: 'oauth',
      MCP_OAUTH_ISSUER_URL: provider.issuer,
      MCP_OAUTH_CLIENT_ID: INTROSPECTOR,
      MCP_OAUTH_CLIENT_SECRET: secretOf(INTROSPECTOR),
      ...more,
    };
  }

  static async start(name, env) {
    const server = new Server(name, args.server, ['--transport', 'sse', '--port', '0'], env);
    [, server.base] = await server.says(/listening on (http:\/\/[^\s]+)/);
    // What it calls itself.
    server.public = env.MCP_PUBLIC_URL ?? server.base;
    server.audience = env.MCP_OAUTH_AUDIENCE ?? `${server.public}/sse`;
    return server;
  }

  ask(path, options) {
    return ask(this.base + path, options);
  }
}

class Provider extends Child {
  static async start(name, argv = []) {
    const provider = new Provider(name, process.execPath, [new URL('provider.mjs', import.meta.url).pathname, ...argv]);
    [, provider.issuer, provider.control] = await provider.says(/^provider (\S+) control (\S+)$/m);
    return provider;
  }

  async do(action, body = '') {
    const reply = await ask(`${this.control}/${action}`, { method: 'POST', body });
    assert.equal(reply.status, 200, `${action}: ${reply.status} ${reply.body}`);
    return reply.body;
  }

  async counts() {
    return JSON.parse(await this.do('counts'));
  }

  async form(client, fields) {
    const headers = { Authorization: `Basic ${basic(client)}`, 'Content-Type': 'application/x-www-form-urlencoded' };
    const reply = await ask(`${this.issuer}/token`, { method: 'POST', headers, body: `${new URLSearchParams(fields)}` });
    assert.equal(reply.status, 200, `the provider refused ${client}: ${reply.body}`);
    const issued = JSON.parse(reply.body);
    [issued.access_token, issued.id_token].forEach(keep);
    return issued;
  }

  /** An access token for a client itself; `resource` null asks for none. */
  async token(client, resource, scope = CLIENTS[client].scope) {
    const fields = { grant_type: 'client_credentials' };
    if (scope) fields.scope = scope;
    if (resource !== null) fields.resource = resource;
    return (await this.form(client, fields)).access_token;
  }

  /** The tokens that a client gets for a user: authorization code with PKCE. */
  async signIn(client, user, resource) {
    const verifier = randomBytes(32).toString('base64url');
    const cookies = new Map();
    let at = `${this.issuer}/auth?${new URLSearchParams({
      client_id: client,
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope: `openid ${CLIENTS[client].scope}`,
      resource,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state: randomUUID(),
      nonce: randomUUID(),
      login_hint: user,
    })}`;
    for (let hops = 0; !at.startsWith(CALLBACK); hops += 1) {
      const reply = await ask(at, { headers: { Cookie: [...cookies].map((pair) => pair.join('=')).join('; ') } });
      assert.ok(reply.headers.location && hops < 10, `the provider did not sign ${user} in: ${reply.status} ${reply.body}`);
      for (const cookie of reply.headers['set-cookie'] ?? []) {
        const [, key, value] = /^([^=]+)=([^;]*)/.exec(cookie);
        if (value) cookies.set(key, value);
        else cookies.delete(key);
      }
      at = new URL(reply.headers.location, at).href;
    }
    const code = new URL(at).searchParams.get('code');
    assert.ok(code, `the provider did not sign ${user} in: ${at}`);
    return this.form(client, { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier, resource });
  }

  /** A JWT with the provider's signature that it would not issue by itself. */
  async sign(resource, claims = {}, more = {}) {
    const usual = { iss: this.issuer, aud: resource, sub: 'alice', client_id: 'web', scope: USE, iat: now(), exp: now() + 600, jti: randomUUID() };
    return keep(await this.do('sign', JSON.stringify({ claims: { ...usual, ...claims }, ...more })));
  }
}

function keep(token) {
  if (token) secrets.add(token);
  return token;
}

// ---------------------------------------------------------------- HTTP

async function until(what, ms, holds, pause = 50) {
  const began = Date.now();
  for (;;) {
    const value = await holds();
    if (value) return value;
    assert.ok(Date.now() - began < ms, `not within ${ms / 1000} s: ${what}`);
    await sleep(pause);
  }
}

/** The reply, its body read to the end, or else, for an event stream, not at all. */
function ask(url, { method = 'GET', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const sent = send(url, { method, headers, agent: false, setHost: !('Host' in headers) }, (res) => {
      const reply = { status: res.statusCode, headers: res.headers, rawHeaders: res.rawHeaders, body: '' };
      res.setEncoding('utf8');
      if (/^text\/event-stream/.test(res.headers['content-type'])) {
        clearTimeout(timer);
        resolve({ ...reply, stream: res });
        return;
      }
      res.on('data', (text) => (reply.body += text));
      res.on('error', reject);
      res.on('end', () => {
        clearTimeout(timer);
        resolve(reply);
      });
    });
    const timer = setTimeout(() => sent.destroy(new Error(`${method} ${url}: no answer within ${ANSWER_MS / 1000} s`)), ANSWER_MS);
    sent.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    sent.end(body);
  });
}

const bearer = (token) => (token === null ? {} : { Authorization: `Bearer ${token}` });

/** The same credentials at both doors: a stream that opens, a message to a session that nobody has. */
async function knock(server, headers, query = '') {
  const stream = await server.ask(`/sse${query && `?${query}`}`, { headers });
  stream.stream?.destroy();
  const json = { 'Content-Type': 'application/json', ...headers };
  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const message = await server.ask(`${NOWHERE}${query && `&${query}`}`, { method: 'POST', headers: json, body });
  return { stream, message };
}

class Session {
  messages = [];
  ended = false;
  #next = 1;

  static async open(server, token) {
    const reply = await server.ask('/sse', { headers: bearer(token) });
    assert.equal(reply.status, 200, `GET /sse: ${reply.status} ${reply.body}`);
    const session = new Session();
    Object.assign(session, { server, token, stream: reply.stream });
    let text = '';
    reply.stream.on('data', (chunk) => {
      const events = (text + chunk).replaceAll('\r\n', '\n').split('\n\n');
      text = events.pop();
      for (const event of events) {
        const [, name] = /^event: ?(.*)$/m.exec(event) ?? [];
        const [, data] = /^data: ?(.*)$/m.exec(event) ?? [];
        if (name === 'endpoint') session.endpoint = data;
        else if (data) session.messages.push(JSON.parse(data));
      }
    });
    for (const end of ['end', 'error', 'close']) reply.stream.on(end, () => (session.ended = true));
    await until('the endpoint event', ANSWER_MS, () => session.endpoint, 5);
    return session;
  }

  /** Opened and initialized. */
  static async start(server, token) {
    const session = await Session.open(server, token);
    const clientInfo = { name: 'check', version: '1.0.0' };
    await session.result('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    const noted = await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    assert.equal(noted.status, 202);
    return session;
  }

  post(message, token = this.token) {
    const url = new URL(this.endpoint, `${this.server.base}/sse`);
    const headers = { 'Content-Type': 'application/json', ...bearer(token) };
    return this.server.ask(url.pathname + url.search, { method: 'POST', headers, body: JSON.stringify(message) });
  }

  request(method, params, token) {
    const id = this.#next++;
    return this.post({ jsonrpc: '2.0', id, method, params }, token).then((reply) => ({ ...reply, id }));
  }

  async result(method, params, token) {
    const reply = await this.request(method, params, token);
    assert.equal(reply.status, 202, `${method}: ${reply.status} ${reply.body}`);
    const answer = await until(`an answer to ${method}`, ANSWER_MS, () => this.messages.find((m) => m.id === reply.id && !m.method), 5);
    assert.ok(answer.result, `${method}: ${JSON.stringify(answer.error)}`);
    return answer.result;
  }

  async call(name, params = {}, token) {
    const result = await this.result('tools/call', { name, arguments: params }, token);
    assert.ok(!result.isError, `${name}: ${JSON.stringify(result)}`);
    return result;
  }

  close() {
    this.stream.destroy();
  }
}

// ---------------------------------------------------------------- what is expected

function challengeOf(reply) {
  const lines = reply.rawHeaders.filter((_, i, all) => i % 2 === 1 && all[i - 1].toLowerCase() === 'www-authenticate');
  assert.equal(lines.length, 1, `${lines.length} WWW-Authenticate headers`);
  assert.match(lines[0], /^Bearer [a-z_]+="[^"\\]*"(, [a-z_]+="[^"\\]*")*$/);
  return Object.fromEntries([...lines[0].matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]));
}

/** A refusal: its status, its body and, unless the server is at fault, its challenge. */
function refused(server, reply, { status = 401, error, scope, id = null } = {}) {
  assert.equal(reply.status, status, `${reply.status} ${reply.body}`);
  assert.match(reply.headers['content-type'] ?? '', /^application\/json/);
  const body = JSON.parse(reply.body);
  assert.equal(body.jsonrpc, '2.0');
  assert.equal(body.error?.code, status < 500 ? -32600 : -32603);
  assert.equal(body.id ?? null, id);
  if (status >= 500) return undefined;
  const challenge = challengeOf(reply);
  assert.ok(challenge.resource_metadata?.startsWith(server.public + METADATA), `resource_metadata is ${challenge.resource_metadata}`);
  assert.equal(challenge.error, error);
  if (scope) assert.deepEqual(words(challenge.scope ?? ''), words(scope), `scope="${challenge.scope}"`);
  return challenge;
}

const INVALID = { error: 'invalid_token' };
const UNKNOWN = { scope: REQUIRED };
const SCOPES = { status: 403, error: 'insufficient_scope', scope: REQUIRED };
const DOWN = { status: 503 };

/** What `whoami` says, both ways. */
async function isWho(session, { subject = null, client, scopes = REQUIRED }, token) {
  const { content, structuredContent } = await session.call('whoami', {}, token);
  for (const who of [structuredContent, JSON.parse(content[0].text)]) {
    assert.equal(who?.method, 'oauth');
    assert.equal(who.subject ?? null, subject);
    assert.equal(who.client ?? null, client);
    assert.deepEqual(words(who.scopes), words(scopes));
  }
}

// ---------------------------------------------------------------- cases

let passed = 0;
let failed = 0;

async function one(name, check) {
  if (!name.includes(args.only)) return;
  const began = Date.now();
  const took = () => (Date.now() - began > 1_000 ? ` (${Math.round((Date.now() - began) / 1000)} s)` : '');
  try {
    await check();
    passed += 1;
    console.log(`ok ${name}${took()}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}${took()}`);
    for (const line of `${error.message}`.split('\n')) if (line) console.log(`    ${line.slice(0, 300)}`);
  }
}

/** Rows of [name, credentials]: the stream opens and `whoami` is as the row says. */
async function accepts(server, rows) {
  for (const [name, token, who] of rows) {
    await one(`accepted: ${name}`, async () => {
      const session = await Session.start(server, await token());
      await isWho(session, who);
      session.close();
    });
  }
}

/** Rows of [name, expected, credentials, query]: both doors refuse alike. */
async function refuses(server, rows) {
  for (const [name, expected, credentials, query] of rows) {
    await one(`refused ${expected.status ?? 401}: ${name}`, async () => {
      const given = await credentials?.();
      const headers = typeof given === 'string' ? bearer(given) : given ?? {};
      const { stream, message } = await knock(server, headers, await query?.());
      refused(server, stream, expected);
      refused(server, message, expected);
    });
  }
}

async function documents(server, authorizationServer, scopes) {
  for (const path of [`${METADATA}/sse`, METADATA]) {
    await one(`${server.name}: ${path} is open`, async () => {
      const reply = await server.ask(path);
      assert.equal(reply.status, 200, `${reply.status} ${reply.body}`);
      assert.match(reply.headers['content-type'], /^application\/json/);
      const document = JSON.parse(reply.body);
      if (path === METADATA) assert.ok(`${document.resource}/`.startsWith(`${server.public}/`), document.resource);
      else assert.equal(document.resource, `${server.public}/sse`);
      assert.deepEqual(document.authorization_servers, [authorizationServer]);
      assert.deepEqual(document.bearer_methods_supported ?? ['header'], ['header']);
      if (document.scopes_supported) assert.ok(scopes.every((word) => document.scopes_supported.includes(word)), document.scopes_supported);
    });
  }
  await one(`${server.name}: the challenge leads to the document of /sse`, async () => {
    const { resource_metadata } = refused(server, await server.ask('/sse'), { scope: scopes });
    const reply = await server.ask(resource_metadata.slice(server.public.length));
    assert.equal(JSON.parse(reply.body).resource, `${server.public}/sse`);
  });
}

// ---------------------------------------------------------------- a server with the defaults

const provider = await Provider.start('provider');
const main = await Server.start('server', Server.env(provider, { MCP_OAUTH_SCOPES: USE }));
const audience = main.audience;
const other = await Provider.start('provider-2', ['--path', '/realm', '--discovery', 'oauth']);

await documents(main, provider.issuer, REQUIRED);

await one('server: the documents name the resource whatever the Host header says', async () => {
  const { port } = new URL(main.base);
  const reply = await main.ask(`${METADATA}/sse`, { headers: { Host: `localhost:${port}`, 'X-Forwarded-Host': 'evil.example' } });
  assert.equal(JSON.parse(reply.body).resource, `${main.base}/sse`);
  const { resource_metadata } = refused(main, await main.ask('/sse', { headers: { Host: `localhost:${port}` } }), UNKNOWN);
  assert.ok(resource_metadata.startsWith(main.base));
});

await one('server: /health is open', async () => assert.equal((await main.ask('/health')).status, 200));

for (const [method, path] of [['PUT', '/sse'], ['GET', '/messages'], ['GET', '/nothing/here'], ['OPTIONS', '/sse']]) {
  await one(`refused 401: ${method} ${path} without credentials`, async () => refused(main, await main.ask(path, { method }), UNKNOWN));
}

const caller = () => provider.token('caller', audience);
const sign = (claims, more) => () => provider.sign(audience, claims, more);
const header = (more) => sign({}, { header: more });
const as = (scheme) => async () => ({ Authorization: `${scheme} ${await caller()}` });
const spoiled = (part, change) => async () => {
  const parts = (await caller()).split('.');
  parts[part] = change(parts[part]);
  return keep(parts.join('.'));
};
const more = (claims) => (part) => Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(part, 'base64url')), ...claims })).toString('base64url');
const user = (name, client, kind = 'access_token') => async () => (await provider.signIn(client, name, audience))[kind];

await accepts(main, [
  ['a JWT, RS256', caller, { subject: 'caller', client: 'caller' }],
  ['a JWT, ES256', () => provider.token('caller-es256', audience), { subject: 'caller-es256', client: 'caller-es256' }],
  ['an opaque token', () => provider.token('caller-opaque', audience), { client: 'caller-opaque' }],
  ["a user's JWT", user('alice', 'web'), { subject: 'alice', client: 'web' }],
  ["a user's opaque token", user('alice', 'web-opaque'), { subject: 'alice', client: 'web-opaque' }],
  ['more scopes than needed', () => provider.token('administrator', audience), { subject: 'administrator', client: 'administrator', scopes: [...REQUIRED, 'admin'] }],
  ['a list of audiences', sign({ aud: ['https://other.example.com', audience] }), { subject: 'alice', client: 'web' }],
  ['`scp` for `scope`, `azp` for `client_id`', sign({ scope: undefined, scp: REQUIRED, client_id: undefined, azp: 'spa' }), { subject: 'alice', client: 'spa' }],
]);

await one('accepted: the scheme in lower case', async () => {
  const { stream, message } = await knock(main, await as('bearer')());
  assert.deepEqual([stream.status, message.status], [200, 404]);
});

await refuses(main, [
  ['no credentials', UNKNOWN],
  ['a token in the query', UNKNOWN, null, async () => `access_token=${await caller()}`],
  ['a token in a cookie', UNKNOWN, async () => ({ Cookie: `access_token=${await caller()}` })],
  ['a token in X-API-Key', UNKNOWN, async () => ({ 'X-API-Key': await caller() })],
  ['no token at all', INVALID, () => 'nonsense'],
  ['a token and something else', INVALID, async () => `${await caller()}x`],
  ['a JWT for another audience', INVALID, () => provider.token('caller', 'https://other.example.com/sse')],
  ['a JWT for the beginning of the audience', INVALID, () => provider.token('caller', audience.slice(0, -1))],
  ['a JWT for more than the audience', INVALID, () => provider.token('caller', `${audience}/more`)],
  ['an opaque token for another audience', INVALID, () => provider.token('caller-opaque', 'https://other.example.com/sse')],
  ['a JWT of another issuer', INVALID, () => other.token('caller', audience)],
  ['an opaque token of another issuer', INVALID, () => other.token('caller-opaque', audience)],
  ['the right key, another issuer', INVALID, sign({ iss: other.issuer })],
  ['the right key, the issuer with a slash', INVALID, sign({ iss: `${provider.issuer}/` })],
  ['an unpublished key', INVALID, sign({}, { key: 'unpublished' })],
  ["an unpublished key under a published key's name", INVALID, async () => {
    const { kid } = JSON.parse(Buffer.from((await caller()).split('.')[0], 'base64url'));
    return provider.sign(audience, {}, { key: 'unpublished', header: { kid } });
  }],
  ['expired', INVALID, sign({ iat: now() - 600, exp: now() - 120 })],
  ['not yet valid', INVALID, sign({ nbf: now() + 120 })],
  ['without expiry', INVALID, sign({ exp: undefined })],
  ['claims tampered with', INVALID, spoiled(1, more({ sub: 'root' }))],
  ['the signature tampered with', INVALID, spoiled(2, (part) => (part[0] === 'A' ? 'B' : 'A') + part.slice(1))],
  ['the signature taken off', INVALID, spoiled(2, () => '')],
  ['alg none', INVALID, header({ alg: 'none' })],
  ['HS256 with the public key', INVALID, header({ alg: 'HS256' })],
  ['an ID token', INVALID, user('alice', 'web', 'id_token')],
  ['an unknown `crit`', INVALID, header({ crit: ['x'], x: 1 })],
  ['a JWT without a scope that is required', SCOPES, () => provider.token('half', audience)],
  ['an opaque token without a scope that is required', SCOPES, () => provider.token('half-opaque', audience)],
  ['scopes that only begin like the required ones', SCOPES, () => provider.token('lookalike', audience)],
  ['no scopes', SCOPES, () => provider.token('scopeless', audience)],
]);

// ---------------------------------------------------------------- scopes of tools

for (const [kind, caller, administrator] of [['a JWT', 'caller', 'administrator'], ['an opaque token', 'caller-opaque', 'administrator-opaque']]) {
  await one(`tool scopes, ${kind}: \`admin\` is refused without its scope, before the stream`, async () => {
    const session = await Session.start(main, await provider.token(caller, audience));
    const reply = await session.request('tools/call', { name: 'admin', arguments: {} });
    const { scope } = refused(main, reply, { status: 403, error: 'insufficient_scope', id: reply.id });
    assert.ok(words(scope).includes('admin'), `scope="${scope}"`);
    assert.ok(words(scope).every((word) => [...REQUIRED, 'admin'].includes(word)), `scope="${scope}"`);
    assert.equal((await session.call('echo', { message: 'on' })).content[0].text, 'on');
    assert.ok(!session.messages.some((message) => message.id === reply.id), 'there was an answer on the stream, too');
    session.close();
  });
  await one(`tool scopes, ${kind}: \`admin\` works with its scope`, async () => {
    const session = await Session.start(main, await provider.token(administrator, audience));
    assert.equal((await session.call('admin')).content[0].text, 'administrated');
    session.close();
  });
}

// ---------------------------------------------------------------- whose session

await one('sessions: nobody else can use one, and it looks like none', async () => {
  const session = await Session.start(main, await user('alice', 'web')());
  const ping = { jsonrpc: '2.0', id: 'x', method: 'ping' };
  const elsewhere = await main.ask(NOWHERE, { method: 'POST', headers: { 'Content-Type': 'application/json', ...bearer(session.token) }, body: JSON.stringify(ping) });
  assert.equal(elsewhere.status, 404, elsewhere.body);
  const strangers = { bob: user('bob', 'web'), 'alice elsewhere': user('alice', 'web-other'), caller };
  for (const [name, token] of Object.entries(strangers)) {
    const reply = await session.post(ping, await token());
    assert.equal(reply.status, 404, `${name}: ${reply.status} ${reply.body}`);
    assert.equal(reply.body, elsewhere.body, name);
  }
  assert.equal(session.messages.filter((message) => message.id === 'x').length, 0);
  session.close();
});

await one('sessions: one goes on with a new token of the same user and client', async () => {
  const session = await Session.start(main, await user('alice', 'web')());
  await isWho(session, { subject: 'alice', client: 'web' }, await sign({ exp: now() + 1_800 })());
  session.close();
});

await one('sessions: one goes on with a token of more scopes, as a client gets it that was refused', async () => {
  const session = await Session.start(main, await provider.token('administrator', audience, USE));
  const reply = await session.request('tools/call', { name: 'admin', arguments: {} });
  const { scope } = refused(main, reply, { status: 403, error: 'insufficient_scope', id: reply.id });
  const more = await provider.token('administrator', audience, words(`${USE} ${scope}`).join(' '));
  assert.equal((await session.call('admin', {}, more)).content[0].text, 'administrated');
  await isWho(session, { subject: 'administrator', client: 'administrator' });
  session.close();
});

await one('sessions: no credentials, no use', async () => {
  const session = await Session.start(main, await caller());
  refused(main, await session.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, null), UNKNOWN);
  refused(main, await session.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, 'wrong'), INVALID);
  session.close();
});

// ---------------------------------------------------------------- what it asks the provider

const spent = async (on, count) => {
  const before = (await on.counts())[count];
  return async () => (await on.counts())[count] - before;
};
const opens = async (server, token) => {
  const { stream } = await knock(server, bearer(token));
  return stream.status;
};

await one('provider: keys that are known are not asked for again', async () => {
  const fetched = await spent(provider, 'jwks');
  for (let i = 0; i < 10; i += 1) assert.equal(await opens(main, await caller()), 200);
  assert.equal(await fetched(), 0);
});

await one('provider: fifty unknown keys cost at most 5 fetches', async () => {
  const fetched = await spent(provider, 'jwks');
  for (let i = 0; i < 50; i += 1) assert.equal(await opens(main, await header({ kid: randomUUID() })()), 401);
  assert.ok((await fetched()) <= 5, `${await fetched()} fetches`);
});

await one('provider: an opaque token is asked about once, for a while', async () => {
  const asked = await spent(provider, 'introspection');
  const [good, bad] = [await provider.token('caller-opaque', audience), keep(randomBytes(32).toString('base64url'))];
  for (let i = 0; i < 5; i += 1) assert.equal(await opens(main, good), 200);
  assert.equal(await asked(), 1);
  for (let i = 0; i < 3; i += 1) assert.equal(await opens(main, bad), 401);
  assert.equal(await asked(), 2);
});

for (const [state, ms] of [['down', 2_000], ['silent', 8_000]]) {
  await one(`provider ${state}: known keys go on, an opaque token gets 503 and works again afterwards`, async () => {
    const [jwt, opaque] = [await caller(), await provider.token('caller-opaque', audience)];
    await provider.do(state);
    try {
      assert.equal(await opens(main, jwt), 200);
      const began = Date.now();
      refused(main, await main.ask('/sse', { headers: bearer(opaque) }), DOWN);
      assert.ok(Date.now() - began < ms, `the refusal took ${Date.now() - began} ms`);
    } finally {
      await provider.do('up');
    }
    await until('the opaque token works', 10_000, async () => (await opens(main, opaque)) === 200, 250);
  });
}

// ---------------------------------------------------------------- a server with options, started before its provider

await other.do('down');
const optionsEnv = { MCP_OAUTH_AUDIENCE: 'https://api.example.com', MCP_PUBLIC_URL: 'https://mcp.example.com', MCP_OAUTH_SCOPES: 'mcp:use,mcp:list' };
const options = await Server.start('server-with-options', Server.env(other, optionsEnv));
await one('provider down at start: 503 until it answers, then all is well', async () => {
  // Of the right form; who issued it cannot be checked yet.
  const jwt = await provider.sign(options.audience, { iss: other.issuer });
  for (const token of [jwt, keep(randomBytes(32).toString('base64url'))]) {
    const { stream, message } = await knock(options, bearer(token));
    refused(options, stream, DOWN);
    refused(options, message, DOWN);
  }
  await other.do('up');
  const [good, opaque] = [await other.token('caller', options.audience), await other.token('caller-opaque', options.audience)];
  await until('a JWT works', 40_000, async () => (await opens(options, good)) === 200, 500);
  assert.equal(await opens(options, opaque), 200);
});
await other.do('up');

await documents(options, other.issuer, REQUIRED);
await accepts(options, [
  ['a JWT for the audience of choice', () => other.token('caller', options.audience), { subject: 'caller', client: 'caller' }],
  ['an opaque token for the audience of choice', () => other.token('caller-opaque', options.audience), { client: 'caller-opaque' }],
]);
await refuses(options, [
  ['a JWT for the endpoint when the audience is another', INVALID, () => other.token('caller', `${options.public}/sse`)],
  ['an opaque token without an audience', INVALID, () => other.token('caller-opaque', null)],
  ['an ID token for a client called like the audience', INVALID, async () => (await other.signIn('https://api.example.com', 'alice', options.audience)).id_token],
  ['one scope of the two', SCOPES, () => other.token('half', options.audience)],
]);

// ---------------------------------------------------------------- a server with a wrong secret, and some that do not start

const wrong = await Server.start('server-with-wrong-secret', Server.env(provider, { MCP_OAUTH_CLIENT_SECRET: 'wrong-secret' }));
await one('a wrong client secret: JWTs work, without scopes too, opaque tokens never', async () => {
  assert.equal(await opens(wrong, await provider.token('scopeless', wrong.audience)), 200);
  const { stream } = await knock(wrong, bearer(await provider.token('caller-opaque', wrong.audience)));
  assert.ok([401, 503].includes(stream.status), `${stream.status}`);
  assert.equal(challengeOf(await wrong.ask('/sse')).scope, undefined);
});

const { port } = new URL(provider.issuer);
for (const [name, env, patterns] of [
  ['nothing but `oauth`', { MCP_AUTH: 'oauth' }, [/issuer_?url/i, /client_?id/i, /client_?secret/i]],
  ['an issuer that calls itself otherwise', Server.env(provider, { MCP_OAUTH_ISSUER_URL: `http://localhost:${port}` }), [/issuer/i]],
]) {
  await one(`no start: ${name}`, async () => {
    const server = new Server('server-that-does-not-start', args.server, ['--transport', 'sse', '--port', '0'], env);
    try {
      await until('it ends', 10_000, () => server.exited);
    } finally {
      await server.stop();
    }
    assert.equal(server.exited.code, 1);
    for (const pattern of patterns) assert.match(server.output, pattern);
  });
}

// ---------------------------------------------------------------- a client that finds its way by itself

await one('the official TypeScript client: client credentials, by the documents alone', async () => {
  const authProvider = new ClientCredentialsProvider({ clientId: 'administrator', clientSecret: secretOf('administrator'), expectedIssuer: provider.issuer });
  const client = new Client({ name: 'check', version: '1.0.0' });
  await client.connect(new SSEClientTransport(new URL(`${main.base}/sse`), { authProvider }));
  keep(authProvider.tokens().access_token);
  const { structuredContent: who } = await client.callTool({ name: 'whoami', arguments: {} });
  assert.equal(who.subject, 'administrator');
  // It asked for what the challenge named, and no more.
  assert.deepEqual(words(who.scopes), words(REQUIRED));
  await client.close();
});

// ---------------------------------------------------------------- what takes time

await Promise.all([
  one('revocation: an opaque token in use is refused within the cache time', async () => {
    const token = await provider.token('caller-opaque', audience);
    assert.equal(await opens(main, token), 200);
    await provider.do('revoke', token);
    await until('it is refused', 35_000, async () => (await opens(main, token)) === 401, 1_000);
  }),
  one('rotation: a new key works within 40 s, a removed one no longer', async () => {
    const old = await caller();
    assert.equal(await opens(main, old), 200);
    await provider.do('rotate');
    const token = await caller();
    await until('the new key works', 40_000, async () => (await opens(main, token)) === 200, 1_000);
    assert.equal(await opens(main, old), 401);
  }),
  // With the provider whose keys stay.
  one('expiry: a JWT ends its messages and its stream', async () => {
    const session = await Session.start(options, await other.token('brief', options.audience));
    await until('its messages are refused', 45_000, async () => (await session.request('ping')).status === 401, 1_000);
    await until('its stream ends', 50_000, () => session.ended, 250);
  }),
  one('expiry: an opaque token ends its messages at once and its stream', async () => {
    const session = await Session.start(main, await provider.token('brief-opaque', audience));
    await until('its messages are refused', 12_000, async () => (await session.request('ping')).status === 401, 1_000);
    await until('its stream ends', 80_000, () => session.ended, 250);
  }),
]);

// ---------------------------------------------------------------- the end

const servers = children.filter((child) => child instanceof Server);
await one('every server is still there', async () => {
  for (const server of [main, options, wrong]) assert.equal(server.exited, undefined, `${server.name} ended: ${server.output.slice(-300)}`);
});
for (const child of children) await child.stop();
await one('no server wrote a secret', async () => {
  for (const server of servers) {
    assert.ok(!/panicked/.test(server.output), `${server.name} panicked`);
    for (const secret of secrets) {
      // A JWT's signature alone gives it away as well.
      const part = secret.split('.').at(-1);
      const found = server.output.split('\n').findIndex((line) => line.includes(secret) || (part.length > 20 && line.includes(part)));
      assert.equal(found, -1, `${server.name}.log, line ${found + 1}, holds ${secret.slice(0, 12)}…`);
    }
  }
});

console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
