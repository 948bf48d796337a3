// Runs a file of this project under Node 24: `node scripts/with-node24.js <file> [arguments]`.
//
// It runs first in a fresh clone, so it is plain JavaScript that needs only Node 20 and npm. Its steps: install the
// packages of package-lock.json if node_modules lacks them; find a Node 24; run the file with it, and pass on
// arguments, environment, streams, signals and exit code. Before it installs packages for `npm start`, it looks for a
// nats-server, which no package has.

import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const packagedNode = path.join(root, 'node_modules', 'node', 'bin', 'node');

function fail(message) {
  console.error(message);
  process.exit(1);
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // A missing or incomplete file counts as an empty one.
    return undefined;
  }
}

/**
 * Whether node_modules has the packages of package-lock.json. npm records what it installed in
 * node_modules/.package-lock.json, and this compares the contents: in a copied folder the times of files mean nothing.
 * An optional package (a binary of another platform) may be missing.
 */
function isInstalled() {
  const required = readJson(path.join(root, 'package-lock.json'));
  const present = readJson(path.join(root, 'node_modules', '.package-lock.json'));
  if (!required || !present || !required.packages || !present.packages) return false;
  return Object.entries(required.packages).every(([folder, entry]) => {
    if (folder === '') return true;
    const found = present.packages[folder];
    if (!found) return entry.optional === true;
    const same = ['version', 'resolved', 'integrity', 'link'].every((key) => entry[key] === found[key]);
    return same && existsSync(path.join(root, folder));
  });
}

/** The PATH without this clone's own node_modules, which `npm ci` removes. */
function pathOutsideModules() {
  const own = path.join(root, 'node_modules') + path.sep;
  return (process.env.PATH || '')
    .split(path.delimiter)
    .filter((entry) => !path.resolve(entry).startsWith(own))
    .join(path.delimiter);
}

function runNpmCi() {
  console.error('Installing the packages that package-lock.json names (npm ci) ...');
  // --loglevel=error: npm warns of packages that need a newer Node, but they run under Node 24.
  // --include=dev: NODE_ENV=production, or omit=dev in an npmrc, would leave out Node 24 and Postgres.
  const result = spawnSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    // npm prints to stderr, because stdout is for the program that runs afterwards.
    stdio: ['ignore', 2, 2],
    env: { ...process.env, PATH: pathOutsideModules() },
  });
  if (result.error && result.error.code === 'ENOENT') {
    fail('npm is not on the PATH: install Node 20 or newer together with npm, then run the same command again.');
  }
  if (result.error) fail(`npm ci could not be run: ${result.error.message}.`);
  if (result.signal) fail(`npm ci was ended by ${result.signal}; run the same command again.`);
  if (result.status !== 0) fail(`npm ci failed with exit code ${result.status}; what it printed above says why.`);
}

/** Ends with a sentence when `npm start` would find no nats-server after an installation that takes a minute. */
async function requireNats(file) {
  if (path.resolve(file) !== path.join(root, 'scripts', 'start', 'main.ts') || process.env.NATS_URL) return;
  const { findNats } = await import('./servers/nats-binary.js');
  const dataDir = path.resolve(root, process.env.YARDARM_DATA_DIR || '.yardarm');
  await findNats((line) => console.error(line), dataDir).catch((error) => {
    fail(`Yardarm could not start: ${error.message}`);
  });
}

function pause(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Runs `install` in one process of this clone at a time, because npm ci removes node_modules. */
async function withInstallLock(install) {
  const lock = path.join(root, '.yardarm', 'install.lock');
  // An installation takes a minute, on a slow line a few. A lock of an hour is from a dead process whose id is reused.
  const abandonedAfterMs = 60 * 60 * 1000;
  try {
    accessSync(root, constants.W_OK);
    mkdirSync(path.dirname(lock), { recursive: true, mode: 0o700 });
  } catch (error) {
    fail(
      `The packages cannot be installed, because this user cannot write to ${root} (${error.code}): ` +
        'run npm ci there as its owner, or clone into a folder of your own.',
    );
  }
  let isReported = false;
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') fail(`The installation lock ${lock} could not be written: ${error.message}.`);
    }
    try {
      const owner = Number(readFileSync(lock, 'utf8'));
      const ageMs = Date.now() - statSync(lock).mtimeMs;
      // A lock without a number is new: its owner creates it first and then writes the number, within a second.
      const abandoned = owner > 0 ? !isAlive(owner) || ageMs > abandonedAfterMs : ageMs > 1000;
      if (abandoned) {
        rmSync(lock, { force: true });
        continue;
      }
    } catch {
      // The owner has removed the lock meanwhile. The next attempt gets it.
      continue;
    }
    if (!isReported) console.error('Waiting for another start of this clone to finish its installation ...');
    isReported = true;
    pause(200);
  }
  const release = () => rmSync(lock, { force: true });
  // `fail` ends the process.
  process.once('exit', release);
  await install();
  process.off('exit', release);
  release();
}

/** Whether `file` is a Node that runs TypeScript without a warning (stable since 24.12). */
function isNode24(file) {
  const result = spawnSync(file, ['--version'], { encoding: 'utf8' });
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(result.stdout || '') || [];
  return Number(major) > 24 || (Number(major) === 24 && Number(minor) >= 12);
}

function findNode24() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 24 || (major === 24 && minor >= 12)) return process.execPath;
  return isNode24(packagedNode) ? packagedNode : undefined;
}

function runWith(node, args) {
  const env = {
    ...process.env,
    PATH: [path.dirname(node), process.env.PATH || ''].filter(Boolean).join(path.delimiter),
    // Node caches compiled modules by content, so they are never stale. They are half of the cost of a service's start.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || path.join(root, 'node_modules', '.cache', 'node-compile'),
    // The launcher compares this id with its parent's, and ends when this process has ended, even by SIGKILL.
    YARDARM_PARENT_PID: String(process.pid),
  };
  const child = spawn(node, args, { stdio: 'inherit', env });
  const onTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  // A terminal sends Ctrl-C to all processes of its foreground group, so the child has it already. To most programs a
  // second one means "at once". Without a terminal only this process got the signal.
  process.on('SIGINT', () => onTerminal || child.kill('SIGINT'));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // npm passes a signal to its shell, and the shell ends without passing it on. Then we are left of an `npm start` that
  // should end. Five checks a second cost nothing, and are fast enough for a person.
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event) {
    setInterval(() => process.ppid === parent || child.kill('SIGTERM'), 200).unref();
  }
  child.on('error', (error) => fail(`${node} could not be started: ${error.message}.`));
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code === null ? 1 : code);
    // Ends by the same signal, so that a shell sees the same.
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}

if (Number(process.versions.node.split('.')[0]) < 20) {
  fail(`Yardarm needs Node 20 or newer to start; this is Node ${process.versions.node}.`);
}
const args = process.argv.slice(2);
if (args.length === 0) fail('Usage: node scripts/with-node24.js <file> [arguments]');

if (!isInstalled() || !findNode24()) {
  await withInstallLock(async () => {
    if (isInstalled() && findNode24()) return;
    await requireNats(args[0]);
    runNpmCi();
  });
}
const node = findNode24();
if (!node) {
  fail(
    'npm ci left no Node 24 in node_modules/node/bin (does npm ignore install scripts?): ' +
      'install Node 24 yourself, or run `npm rebuild node --ignore-scripts=false`.',
  );
}
runWith(node, args);
