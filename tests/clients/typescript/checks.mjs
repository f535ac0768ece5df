// Drives an example server with an official client: of TypeScript, or one that is a program of its own, the Inspector's
// or rmcp's. The drivers say how their client is made and asked; the checks are here, what is expected in ../expected.json.
//
//     drive-*.mjs --client-version V --expected FILE --server NAME [--mode legacy|auto|VERSION]
//         (--stdio BINARY | (--sse URL | --http URL) [--auth jwt|apikey])
//
// With --auth the server is guarded, and the credentials are made from the variables that it was started with.
// Prints one line per check that failed and, last, `checked N`. Exits non-zero unless all held.

import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const STEP_MS = 30_000;
// How long the clients wait for a server whose stdin was closed before they kill it.
const STDIN_CLOSED_MS = 2_000;
const LISTS = {
  'tools/list': ['listTools', 'tools'],
  'resources/list': ['listResources', 'resources'],
  'resources/templates/list': ['listResourceTemplates', 'resourceTemplates'],
  'prompts/list': ['listPrompts', 'prompts'],
};

// ---------------------------------------------------------------- matching

function show(value) {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= 300 ? text : `${text.slice(0, 300)}… (${text.length} characters)`;
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The ways in which `got` differs from the pattern `want`. */
export function match(want, got, at = '') {
  if (isObject(want) && Object.keys(want).some((key) => key.startsWith('$'))) {
    return Object.entries(want).flatMap(([key, arg]) => operator(key, arg, got, at));
  }
  if (isObject(want)) {
    if (!isObject(got)) return [`${at || 'result'} is ${show(got)}, not an object`];
    return Object.entries(want).flatMap(([key, sub]) => match(sub, got[key], at ? `${at}.${key}` : key));
  }
  if (Array.isArray(want)) {
    if (!Array.isArray(got) || got.length !== want.length) return [`${at} is ${show(got)}, expected ${show(want)}`];
    return want.flatMap((sub, i) => match(sub, got[i], `${at}[${i}]`));
  }
  return want === got ? [] : [`${at} is ${show(got)}, expected ${show(want)}`];
}

function operator(key, arg, got, at) {
  const verdict = (held, wrong = `${at} is ${show(got)}, expected ${key} ${show(arg)}`) => (held ? [] : [wrong]);
  switch (key) {
    case '$absent':
      return verdict((got === undefined) === arg);
    case '$oneOf':
      return verdict(arg.some((sub) => match(sub, got).length === 0));
    case '$every':
      return Array.isArray(got) ? got.flatMap((each, i) => match(arg, each, `${at}[${i}]`)) : verdict(false);
    case '$includes':
    case '$unordered':
      if (!Array.isArray(got) || (key === '$unordered' && got.length !== arg.length)) return verdict(false);
      return arg
        .filter((sub) => got.every((each) => match(sub, each).length > 0))
        .map((sub) => `${at} has no element like ${show(sub)}: ${show(got)}`);
  }
  if (typeof got !== 'string') return verdict(false);
  switch (key) {
    case '$json': {
      let value;
      try {
        value = JSON.parse(got);
      } catch {
        return [`${at} is no JSON: ${show(got)}`];
      }
      return match(arg, value, `${at} (as JSON)`);
    }
    case '$repeat':
      return verdict(got === arg[0].repeat(arg[1]));
    case '$bytes': {
      const bytes = Buffer.byteLength(got);
      return verdict(bytes === arg, `${at} has ${bytes} bytes, expected ${arg}`);
    }
    case '$contains':
      return verdict(got.includes(arg));
    case '$startsWith':
      return verdict(got.startsWith(arg));
    case '$matches':
      return verdict([arg].flat().every((pattern) => new RegExp(pattern).test(got)));
  }
  throw new Error(`unknown operator ${key}`);
}

function expand(value) {
  if (Array.isArray(value)) return value.map(expand);
  if (!isObject(value)) return value;
  if (value.$repeat) return value.$repeat[0].repeat(value.$repeat[1]);
  return Object.fromEntries(Object.entries(value).map(([key, sub]) => [key, expand(sub)]));
}

// ---------------------------------------------------------------- the wire

/** What went over the connection. */
class Wire {
  sent = [];
  received = [];
  /** The heads of what came back over HTTP: method, status, challenge. */
  responses = [];

  fetch = async (url, options) => {
    const response = await fetch(url, options);
    const challenge = response.headers.get('WWW-Authenticate') ?? undefined;
    this.responses.push({ method: options?.method ?? 'GET', status: response.status, challenge });
    return response;
  };

  tap(transport) {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      this.sent.push(...[message].flat());
      return send(message, options);
    };
    // Clients replace `onmessage` and chain to the one they found, so a message may pass here twice.
    const seen = new WeakSet();
    let tapped;
    Object.defineProperty(transport, 'onmessage', {
      configurable: true,
      enumerable: true,
      get: () => tapped,
      set: (inner) => {
        tapped = inner && ((message, extra) => {
          if (!seen.has(message)) this.received.push(message);
          seen.add(message);
          return inner(message, extra);
        });
      },
    });
    return transport;
  }

  statuses(method) {
    return this.responses.filter((response) => response.method === method).map(({ status }) => status);
  }

  answers(id) {
    return this.received.filter((m) => m.method === undefined && m.id === id);
  }

  progress(token) {
    return this.received.filter((m) => m.method === 'notifications/progress' && m.params.progressToken === token);
  }

  lastRequest() {
    return this.sent.filter((m) => m.method !== undefined && m.id !== undefined).at(-1).id;
  }

  lastCall() {
    return this.sent.filter((m) => m.method === 'tools/call').at(-1).id;
  }
}

// ---------------------------------------------------------------- credentials

/** A JSON Web Token, signed with HS256. */
function token(secret, lifetime) {
  const iat = Math.floor(Date.now() / 1000);
  const { MCP_JWT_ISSUER: iss, MCP_JWT_AUDIENCE: aud } = process.env;
  const claims = { iss, aud, sub: 'alice', client_id: 'interop', scope: 'read admin', iat, exp: iat + lifetime };
  const parts = [{ alg: 'HS256', typ: 'JWT' }, claims];
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/** The headers that a client is given: `right`, `wrong`, `expired` or `none`. */
function credentials(auth, which) {
  if (which === 'none') return {};
  if (auth === 'apikey') {
    const key = process.env.MCP_API_KEYS.split(',').at(-1);
    return { 'X-API-Key': which === 'right' ? key : `${key.slice(0, -1)}?` };
  }
  const secret = process.env.MCP_JWT_SECRET;
  const made = token(which === 'wrong' ? [...secret].reverse().join('') : secret, which === 'expired' ? -600 : 600);
  return { Authorization: `Bearer ${made}` };
}

/** The problems with how a connection without the right credentials is refused: the client says no, having heard so. */
async function refused(adapter, args, want) {
  const wire = new Wire();
  const client = adapter.client(args.mode);
  try {
    await within(STEP_MS, 'connect', client.connect(open(adapter, args, wire, want.credentials)));
  } catch (error) {
    if (args.sse && !(error instanceof adapter.SseError && error.code === want.status)) {
      return [`the client tells ${error?.name} (${error?.code}): ${error?.message}, expected SseError (${want.status})`];
    }
    const last = adapter.blind ? error : wire.responses.at(-1);
    return match({ status: want.status, challenge: want.challenge }, last ?? {});
  }
  await within(STEP_MS, 'close', client.close());
  return ['it was let in'];
}

// ---------------------------------------------------------------- the steps

/** A wait ran out; what follows would only run out too. */
class Stuck extends Error {}

async function within(ms, what, promise) {
  const timer = new AbortController();
  const late = sleep(ms, undefined, { signal: timer.signal }).then(() => {
    throw new Stuck(`${what}: nothing within ${ms / 1000} s`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    timer.abort();
  }
}

class Driver {
  checked = 0;
  failed = 0;
  cancelled = [];
  answers = [];
  asked = [];

  constructor(client, adapter, args, wire) {
    Object.assign(this, { client, adapter, args, wire });
    // What the user says: what the step has an answer for, and no to all else.
    adapter.onElicit(client, ({ params }) => {
      this.asked.push(params);
      return this.answers.shift() ?? { action: 'decline' };
    });
  }

  check(name, problems) {
    this.checked += 1;
    if (problems.length > 0) this.failed += 1;
    for (const problem of problems) console.log(`${name}: ${problem}`);
  }

  async send(action, params, options) {
    switch (action) {
      case 'ping':
        return this.client.ping();
      case 'tools/call':
        return this.adapter.call(this.client, params, options);
      case 'resources/read':
        return this.client.readResource(params);
      case 'prompts/get':
        return this.client.getPrompt(params);
    }
    const [method, key] = LISTS[action];
    const entries = [];
    let cursor;
    for (let pages = 0; pages < 100; pages += 1) {
      const page = await this.client[method](cursor === undefined ? undefined : { cursor });
      entries.push(...page[key]);
      cursor = page.nextCursor;
      if (cursor === undefined) return { [key]: entries };
    }
    throw new Error('the list has no end: 100 pages and still a nextCursor');
  }

  /** The problems with the answer to one request. */
  async answer(step, options) {
    let result;
    try {
      const sending = this.send(step.do, expand(step.params ?? {}), options);
      result = await within(STEP_MS, step.name ?? step.do, sending);
    } catch (error) {
      if (error instanceof Stuck) throw error;
      if (!this.adapter.isProtocolError(error)) return [`${error?.name}: ${error?.message}`];
      const got = { code: error.code, message: error.message };
      return step.error ? match(this.adapter.shows?.(step.error) ?? step.error, got, 'error') : [`error ${show(got)}, expected a result`];
    }
    if (step.error) return [`result ${show(result)}, expected error ${show(step.error)}`];
    const want = { ...step.result };
    if (step.do === 'tools/call' && !('isError' in want)) want.isError = { $oneOf: [{ $absent: true }, false] };
    return match(want, result);
  }

  async run(step) {
    if (step.do === 'together') {
      const each = step.calls.map(async (call) => {
        const problems = await this.answer(call);
        return problems.map((problem) => `${show(call.params.arguments)}: ${problem}`);
      });
      return (await Promise.all(each)).flat();
    }
    if (step.do === 'cancel') return this.cancel(step);
    if (step.progress === undefined) {
      this.answers = [...(step.answers ?? [])];
      this.asked = [];
      const problems = await this.answer(step);
      problems.push(...match(step.asked ?? [], this.asked, 'what was asked'));
      if (!step.error || problems.length > 0 || this.adapter.blind) return problems;
      // A client may make such an error by itself: it has to be the server's.
      return match(step.error, this.wire.answers(this.wire.lastRequest()).at(-1)?.error, 'error (received)');
    }

    const seen = [];
    const problems = await this.answer(step, { onprogress: ({ progress, total }) => seen.push([progress, total]) });
    const wanted = Array.isArray(step.progress)
      ? step.progress
      : Array.from({ length: step.progress }, (_, i) => [i + 1, step.progress]);
    if (this.adapter.blind) return problems.concat(match(wanted, seen, 'progress (callback)'));
    const id = this.wire.lastCall();
    const reports = this.wire.progress(id);
    const answered = this.wire.received.findIndex((m) => m.method === undefined && m.id === id);
    const late = reports.filter((m) => this.wire.received.indexOf(m) > answered);
    if (answered >= 0 && late.length > 0) problems.push(`progress after the result: ${show(late)}`);
    const received = reports.map(({ params }) => [params.progress, params.total]);
    if (JSON.stringify(received) !== JSON.stringify(wanted)) {
      problems.push(`progress (received) is ${show(received)}, expected ${show(wanted)}`);
    }
    // These clients drop the reports that come in one read with the result: the last ones may not reach the callback.
    if ((seen.length === 0 && !step.burst) || JSON.stringify(seen) !== JSON.stringify(received.slice(0, seen.length))) {
      problems.push(`progress (callback) is ${show(seen)}, expected ${show(wanted)}`);
    }
    return problems;
  }

  async cancel(step) {
    const problems = [];
    const abort = new AbortController();
    let reports = 0;
    let enough;
    const reached = new Promise((resolve) => (enough = resolve));
    const options = {
      signal: abort.signal,
      onprogress: () => {
        reports += 1;
        if (reports >= step.afterProgress) enough();
      },
    };
    const call = this.send('tools/call', step.params, options).then(
      (result) => ({ result }),
      (error) => ({ error }),
    );
    const soon = step.afterProgress ? reached : sleep(step.afterMs);
    const early = await within(STEP_MS, step.name, Promise.race([soon, call]));
    if (early) return [`the call ended by itself: ${show(early.result ?? String(early.error))}`];
    abort.abort('changed my mind');
    const outcome = await within(STEP_MS, `${step.name}: abort`, call);
    if (!outcome.error) return [`the call ended by itself: ${show(outcome.result)}`];
    if (!this.adapter.blind) {
      const id = this.wire.lastCall();
      this.cancelled.push(id);
      const told = this.wire.sent.filter((m) => m.method === 'notifications/cancelled');
      // Where each request has its connection, a client of the newest version only closes that.
      if (!(this.args.http && protocolVersion(this.args) >= '2026') && told.at(-1)?.params.requestId !== id) {
        problems.push(`the client did not say that it cancelled ${id}: ${show(told)}`);
      }
    }
    if (!step.then) {
      await sleep(step.watchMs);
      return problems.concat(this.cancelledAnswers());
    }
    const count = async () => {
      const found = await within(STEP_MS, `${step.name}: then`, this.send('tools/call', step.then));
      return found.structuredContent.titles.length;
    };
    await count();
    await sleep(step.settleMs);
    const before = await count();
    await sleep(step.watchMs);
    const after = await count();
    if (before !== after) problems.push(`it goes on after the cancellation: ${before} notes, then ${after}`);
    if (after < step.atLeast || after >= step.below) {
      problems.push(`${after} notes, expected ${step.atLeast} or more and less than ${step.below}`);
    }
    return problems.concat(this.cancelledAnswers());
  }

  cancelledAnswers() {
    return this.cancelled.flatMap((id) => this.wire.answers(id)).map((m) => `answered though cancelled: ${show(m)}`);
  }
}

/** What has to be agreed on. HTTP+SSE is older than the newest version, and does not carry it. */
function protocolVersion({ mode, sse }) {
  if (mode === 'legacy' || sse) return '2025-11-25';
  return mode === 'auto' ? '2026-07-28' : mode;
}

/** The methods that come first. */
function handshake({ mode, stdio, ...args }) {
  const initialize = protocolVersion({ mode, ...args }) < '2026' ? ['initialize', 'notifications/initialized'] : [];
  // Over stdio the question goes to a second process, whose messages are not seen here.
  return mode === 'legacy' || stdio ? initialize : ['server/discover', ...initialize];
}

function open(adapter, args, wire, which) {
  if (args.stdio) return adapter.stdio({ command: args.stdio, args: [], env: args.env, stderr: 'inherit' });
  const options = { fetch: wire.fetch, requestInit: { headers: args.auth ? credentials(args.auth, which) : {} } };
  return args.sse ? adapter.sse(new URL(args.sse), options) : adapter.http(new URL(args.http), options);
}

/**
 * Runs all steps with one client. `adapter` has `version` (the installed one), `client(mode)`, `stdio(options)`,
 * `sse(url, options)`, `http(url, options)`, `SseError`, `onElicit(client, handler)`, `agreed(client)` (a version, or
 * else what the client tells its transport), `call(client, params, options)`, `isProtocolError(error)`. One that is
 * `blind` does not show what goes over its connection; one that `can(step)` does not take every step.
 */
export async function main(adapter) {
  const { values: args } = parseArgs({
    options: {
      'client-version': { type: 'string' },
      expected: { type: 'string' },
      server: { type: 'string' },
      mode: { type: 'string', default: 'legacy' },
      env: { type: 'string', multiple: true, default: [] },
      stdio: { type: 'string' },
      sse: { type: 'string' },
      http: { type: 'string' },
      auth: { type: 'string' },
    },
  });
  args.env = Object.fromEntries(args.env.map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
  const expected = JSON.parse(readFileSync(args.expected, 'utf8'));
  const guarded = expected.guarded[args.auth];
  const modern = protocolVersion(args) >= '2026';
  const wire = new Wire();
  const client = adapter.client(args.mode);
  const driver = new Driver(client, adapter, args, wire);
  const faults = [];
  try {
    if (adapter.version !== args['client-version']) {
      driver.check('client', [`${adapter.version} is installed, expected ${args['client-version']}`]);
    }
    const transport = open(adapter, args, wire, 'right');
    if (!adapter.blind) wire.tap(transport);
    let told;
    const setProtocolVersion = transport.setProtocolVersion?.bind(transport);
    transport.setProtocolVersion = (version) => {
      told = version;
      setProtocolVersion?.(version);
    };
    client.onerror = (error) => {
      // Reports of a call that was cancelled, or that came in one read with its result.
      if (!/progress notification for an unknown token/.test(error.message)) faults.push(`${error.message}`);
    };
    await within(STEP_MS, 'connect', client.connect(transport));

    const sent = wire.sent.map((m) => m.method);
    if (!adapter.blind) driver.check('handshake', match(handshake(args), sent, 'the methods sent'));
    if (sent[0] === 'server/discover') {
      const wanted = modern ? 'result' : 'error';
      const got = wire.answers(wire.sent[0].id).some((m) => m[wanted]);
      driver.check('server/discover', got ? [] : [`got no ${wanted}`]);
    }
    driver.check('server name', match(args.server, client.getServerVersion()?.name, 'name'));
    driver.check('server version', match({ $matches: '.' }, client.getServerVersion()?.version, 'version'));
    driver.check('protocol version', match(protocolVersion(args), adapter.agreed?.(client) ?? told, 'version'));
    const era = modern ? 'modern' : 'legacy';
    for (const step of guarded?.steps ?? expected.servers[args.server]) {
      if ((step.era ?? era) === era && (adapter.can?.(step) ?? true)) driver.check(step.name, await driver.run(step));
    }
    driver.check('cancelled calls stay unanswered', driver.cancelledAnswers());
    driver.check('no faults in the connection', [...faults]);
    if (args.http && !adapter.blind) {
      for (let waited = 0; !modern && wire.statuses('GET').length === 0 && waited < 200; waited += 1) await sleep(10);
      driver.check("the session's own stream", match(modern ? [] : [200], wire.statuses('GET'), 'the answers to GET'));
      if (!modern) await within(STEP_MS, 'end of the session', transport.terminateSession());
      const ended = modern ? [] : [{ $oneOf: [200, 202, 204] }];
      driver.check('the session is ended', match(ended, wire.statuses('DELETE'), 'the answers to DELETE'));
    }
    const closing = performance.now();
    await within(STEP_MS, 'close', client.close());
    if (args.stdio) {
      const took = performance.now() - closing;
      driver.check(
        'ends when its stdin is closed',
        took < STDIN_CLOSED_MS ? [] : [`the server was still there after ${(took / 1000).toFixed(1)} s, and had to be killed`],
      );
    }
    for (const want of guarded?.refused ?? []) {
      driver.check(`refused: ${want.credentials}`, await refused(adapter, args, want));
    }
  } catch (error) {
    driver.check('stopped', [`${error?.name}: ${error?.message}`]);
    await within(STEP_MS, 'close', client.close()).catch(() => {});
  }
  console.log(`checked ${driver.checked}`);
  process.exit(driver.failed > 0 || driver.checked === 0 ? 1 : 0);
}
