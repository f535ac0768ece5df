// Runs the conformance suite, part by part, against one server that lives through all of them, and judges by the
// checks that the suite writes down.
//
//     check.mjs (--server BINARY | --url URL | --list) --logs DIR --results DIR
//         [--version TEXT] [--only TEXT] [--repeat N]

import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values: args } = parseArgs({
  options: {
    server: { type: 'string' },
    url: { type: 'string' },
    list: { type: 'boolean', default: false },
    logs: { type: 'string' },
    results: { type: 'string' },
    version: { type: 'string', default: '' },
    only: { type: 'string', default: '' },
    repeat: { type: 'string', default: '5' },
  },
});
const START_MS = 20_000;
const SUITE_MS = 300_000;
const NEXT = cli('@modelcontextprotocol/conformance');
const STABLE = cli('conformance-stable');

// `least` is how many checks have to hold in all: a suite that asks less than it used to has to be looked at, and one
// that asked nothing did not pass. `bad` is what no check may say. `scenarios` picks the names from what `list` prints;
// `run` runs them all, `each` one of them.
const parts = [
  ...[
    ['2025-03-26', 3],
    ['2025-06-18', 56],
    ['2025-11-25', 84],
    ['2026-07-28', 153],
  ].map(([version, least]) => ({
    name: version,
    cli: NEXT,
    list: ['--server', '--spec-version', version],
    run: ['--suite', 'all', '--spec-version', version],
    each: ['--spec-version', version],
    least,
  })),
  ...[
    ['2025-11-25', 84],
    ['2026-07-28', 197],
  ].map(([version, least]) => ({
    name: `${version} requirements`,
    cli: NEXT,
    list: ['--requirements', version],
    run: ['--requirements', version],
    // Extensions are on no version's timeline.
    each: ['--spec-version', version, '--force'],
    least,
  })),
  {
    name: 'stable',
    cli: STABLE,
    list: ['--server'],
    run: ['--suite', 'all'],
    each: [],
    // This release warns of what later ones took back.
    bad: ['FAILURE'],
    least: 44,
  },
  {
    name: '2026-07-28 repeated',
    cli: NEXT,
    only: 'server-stateless',
    list: ['--server', '--spec-version', '2026-07-28'],
    each: ['--spec-version', '2026-07-28'],
    times: Number(args.repeat),
    least: 30,
  },
];
const BAD = ['FAILURE', 'WARNING', 'SKIPPED'];
/** What the suite skips whatever a server does. */
const ALWAYS_SKIPPED = ['tasks-status-notifications'];
/** Where a server may answer with JSON or with a stream, and the suite only tells of the first: it counts as well. */
const OPTIONAL = ['server-sse-streams-functional'];

function cli(name) {
  return fileURLToPath(new URL(`./node_modules/${name}/dist/index.js`, import.meta.url));
}

// ---------------------------------------------------------------- the suite

const children = new Set();
process.on('exit', () => children.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));

/** What the suite prints. How it exits says nothing that its checks do not say better. */
function suite(path, argv) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] });
    children.add(child);
    const timer = setTimeout(() => child.kill('SIGKILL'), SUITE_MS);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      children.delete(child);
      resolve(signal ? `${output}\nended by ${signal}\n` : output);
    });
  });
}

/** The server scenarios of a part, as the suite lists them. */
async function scenariosOf({ cli: path, list, only }) {
  const output = await suite(path, ['list', ...list]);
  const names = [];
  let server = false;
  for (const line of output.split('\n')) {
    if (/^\S/.test(line)) server = line.startsWith('Server scenarios');
    // Scenarios that are not scored are listed with those of clients, and marked.
    const [, name, mark] = /^ +- (\S+)(?: \[(\S+)\])?$/.exec(line) ?? [];
    if (name && (server || mark === 'server') && (only ?? name) === name) names.push(name);
  }
  return names;
}

/** The checks that a run left in `out`, by scenario. */
function checksIn(out) {
  const found = new Map();
  for (const entry of existsSync(out) ? readdirSync(out) : []) {
    const [, scenario] = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(entry) ?? [];
    const file = `${out}/${entry}/checks.json`;
    if (!scenario || !existsSync(file)) continue;
    found.set(scenario, [...(found.get(scenario) ?? []), ...JSON.parse(readFileSync(file, 'utf8'))]);
  }
  return found;
}

// ---------------------------------------------------------------- the server

let server;

async function start() {
  let output = '';
  const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith('MCP_'));
  server = spawn(args.server, ['--port', '0'], {
    env: { ...Object.fromEntries(inherited), MCP_TRANSPORT: 'http-stream' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(server);
  const log = createWriteStream(`${args.logs}/server.log`);
  for (const stream of [server.stdout, server.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
      log.write(text);
    });
  }
  server.on('error', (error) => (output += error));
  const ended = new Promise((resolve) => server.on('close', resolve));
  for (const began = Date.now(); Date.now() - began < START_MS; await Promise.race([sleep(50), ended])) {
    const [, base] = /listening on (http:\/\/\S+)/.exec(output) ?? [];
    if (base) return `${base}/mcp`;
    if (server.exitCode !== null || server.pid === undefined) break;
  }
  console.log(`the server did not print \`listening on http://HOST:PORT\`: ${output.slice(-500)}`);
  process.exit(1);
}

async function stop() {
  const ended = new Promise((resolve) => server.on('close', resolve));
  server.kill('SIGTERM');
  await Promise.race([ended, sleep(3_000)]);
}

// ---------------------------------------------------------------- every part

const STATUSES = ['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED', 'INFO'];
const rows = [];
let failed = 0;

function complain(part, line) {
  failed += 1;
  console.log(`FAILED ${part.name}: ${line.length <= 500 ? line : `${line.slice(0, 500)}… (${line.length} characters)`}`);
}

async function check(part, url) {
  const began = Date.now();
  const all = await scenariosOf(part);
  const wanted = all.filter((name) => name.includes(args.only));
  if (all.length === 0) complain(part, 'the suite lists no scenario');
  if (args.list) {
    console.log(`${part.name}: ${wanted.length} scenarios`);
    wanted.forEach((name) => console.log(`    ${name}`));
    return;
  }
  if (wanted.length === 0) return;
  const whole = wanted.length === all.length;
  const counts = Object.fromEntries(STATUSES.map((status) => [status, 0]));
  const ran = new Set();
  const before = failed;
  // In a row: what failed once need not be seen again.
  let time = 0;
  while (time < (part.times ?? 1) && failed === before) {
    time += 1;
    const where = `${part.name.replaceAll(' ', '-')}${part.times ? `-${time}` : ''}`;
    const out = `${args.results}/${where}`;
    mkdirSync(out, { recursive: true });
    const target = ['server', '--url', url, '-o', out];
    let output = '';
    if (whole && part.run) output = await suite(part.cli, [...target, ...part.run]);
    else for (const name of wanted) output += await suite(part.cli, [...target, '--scenario', name, ...part.each]);
    writeFileSync(`${args.logs}/${where}.log`, output);

    const found = checksIn(out);
    for (const name of wanted.filter((name) => !found.has(name))) {
      const [, why] = output.split(`Failed to run scenario ${name}: `)[1]?.match(/^(.*)/) ?? [];
      complain(part, `${name} did not run: ${why ?? `see ${args.logs}/${where}.log`}`);
    }
    for (const name of [...found.keys()].filter((name) => !wanted.includes(name))) {
      complain(part, `${name} ran and is not listed`);
    }
    let held = 0;
    for (const [name, checks] of found) {
      ran.add(name);
      if (checks.length === 0) complain(part, `${name} checked nothing`);
      for (const { id, status, description, errorMessage } of checks) {
        if (!(status in counts)) complain(part, `${name} ${id}: there is no status ${status}`);
        counts[status] += 1;
        if (status === 'SUCCESS' || (status === 'INFO' && OPTIONAL.includes(id))) held += 1;
        if (!(part.bad ?? BAD).includes(status) || (status === 'SKIPPED' && ALWAYS_SKIPPED.includes(id))) continue;
        complain(part, `${name} ${id} (${status})${part.times ? ` at time ${time}` : ''}: ${errorMessage ?? description}`);
      }
    }
    if (whole && held < part.least) complain(part, `${held} checks hold, expected ${part.least} or more`);
    if (server && server.exitCode !== null) {
      complain(part, `the server ended by itself: ${server.exitCode}; see ${args.logs}/server.log`);
      process.exit(1);
    }
  }
  const times = part.times ? ` × ${time}` : '';
  const seconds = Math.round((Date.now() - began) / 1000);
  rows.push([part.name, `${ran.size}/${wanted.length}${times}`, ...STATUSES.map((status) => counts[status]), `${seconds} s`]);
}

const chosen = parts.filter(({ name }) => name.includes(args.version));
const url = args.list ? undefined : (args.url ?? (await start()));
for (const part of chosen) await check(part, url);
if (server) await stop();

if (!args.list) {
  const table = [['', 'scenarios', ...STATUSES.map((status) => status.toLowerCase()), ''], ...rows];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => `${row[column]}`.length)));
  console.log();
  const pad = (cell, i) => (i === 0 ? `${cell}`.padEnd(widths[i]) : `${cell}`.padStart(widths[i]));
  for (const row of table) console.log(row.map(pad).join('  ').trimEnd());
  if (rows.length === 0) {
    complain({ name: 'all' }, `there is no scenario with \`${args.only}\` in a part with \`${args.version}\``);
  }
}
if (failed > 0) console.log(`${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
