// Runs a file of this project under Node 24: `node scripts/with-node24.js <file> [arguments]`.
//
// This is what runs first in a fresh clone, so it is plain JavaScript that leans on nothing but Node 20 and npm.
// Three steps: install what package-lock.json names where node_modules does not hold it, find a Node 24, become
// it as nearly as a parent process can (arguments, environment, streams, signals, exit code).

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const packagedNode = path.join(root, 'node_modules', 'node', 'bin', 'node');

function give(sentence) {
  console.error(sentence);
  process.exit(1);
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // A missing or half-written file says the same as an empty one: nothing is installed by it.
    return undefined;
  }
}

/**
 * Whether node_modules holds what package-lock.json names. Contents are compared, not times: in a fresh clone or
 * a copied folder times say nothing. npm notes what it installed in node_modules/.package-lock.json; a package
 * that is optional (another platform's binary) may be missing there.
 */
function isInstalled() {
  const wanted = readJson(path.join(root, 'package-lock.json'));
  const present = readJson(path.join(root, 'node_modules', '.package-lock.json'));
  if (!wanted || !present || !wanted.packages || !present.packages) return false;
  return Object.entries(wanted.packages).every(([place, entry]) => {
    if (place === '') return true;
    const found = present.packages[place];
    if (!found) return entry.optional === true;
    const same = ['version', 'resolved', 'integrity', 'link'].every((key) => entry[key] === found[key]);
    return same && existsSync(path.join(root, place));
  });
}

/** Where a command is told to look: without this clone's own node_modules, which `npm ci` is about to remove. */
function pathOutsideModules() {
  const own = path.join(root, 'node_modules') + path.sep;
  return (process.env.PATH || '')
    .split(path.delimiter)
    .filter((entry) => !path.resolve(entry).startsWith(own))
    .join(path.delimiter);
}

function runNpmCi() {
  console.error('Installing the packages that package-lock.json names (npm ci) ...');
  // --loglevel=error: npm warns of packages that want a newer Node, which they get.
  // --include=dev: NODE_ENV=production or omit=dev in somebody's npmrc would leave out Node 24 and Postgres.
  const result = spawnSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    // npm's report goes to stderr: stdout belongs to the program that runs afterwards.
    stdio: ['ignore', 2, 2],
    env: { ...process.env, PATH: pathOutsideModules() },
  });
  if (result.error && result.error.code === 'ENOENT') {
    give('npm is not on the PATH: install Node 20 or newer together with npm, then run the same command again.');
  }
  if (result.error) give(`npm ci could not be run: ${result.error.message}.`);
  if (result.signal) give(`npm ci was ended by ${result.signal}; run the same command again.`);
  if (result.status !== 0) give(`npm ci failed with exit code ${result.status}; what it printed above says why.`);
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

/** Runs `install` while no other process of this clone does: npm ci removes node_modules under the other's feet. */
function withInstallLock(install) {
  const lock = path.join(root, '.yardarm', 'install.lock');
  // An installation takes a minute, on a slow line a few; a lock of an hour was left by a process whose id is reused.
  const abandonedAfterMs = 60 * 60 * 1000;
  mkdirSync(path.dirname(lock), { recursive: true, mode: 0o700 });
  let told = false;
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') give(`The installation lock ${lock} could not be written: ${error.message}.`);
    }
    try {
      const holder = Number(readFileSync(lock, 'utf8'));
      const ageMs = Date.now() - statSync(lock).mtimeMs;
      // A lock without a number is one second old at most: its writer stands between creating and filling it.
      const abandoned = holder > 0 ? !isAlive(holder) || ageMs > abandonedAfterMs : ageMs > 1000;
      if (abandoned) rmSync(lock, { force: true });
    } catch {
      // The holder finished between the two looks; the next round takes the lock.
    }
    if (!told) console.error('Waiting for another start of this clone to finish its installation ...');
    told = true;
    pause(200);
  }
  try {
    install();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Whether `file` is a Node that runs TypeScript as it stands without a warning (stable since 24.12). */
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

function become(node, args) {
  const env = {
    ...process.env,
    PATH: [path.dirname(node), process.env.PATH || ''].filter(Boolean).join(path.delimiter),
    // Compiled modules are kept (by content, so never stale): half of what a service's process costs to start.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || path.join(root, 'node_modules', '.cache', 'node-compile'),
    // The launcher ends when this process is gone, even by SIGKILL; it compares the number with its parent's.
    YARDARM_PARENT_PID: String(process.pid),
  };
  const child = spawn(node, args, { stdio: 'inherit', env });
  const onTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  // A terminal sends Ctrl-C to every process in front of it, so the child has it already; a second one means
  // "at once" to most programs. Without a terminal the signal came to this process alone.
  process.on('SIGINT', () => onTerminal || child.kill('SIGINT'));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // npm passes a signal to its shell, which ends without passing it on: then we are what is left of an `npm start`
  // that was told to end. Five times a second: as soon as a person expects, and for nothing.
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event) {
    setInterval(() => process.ppid === parent || child.kill('SIGTERM'), 200).unref();
  }
  child.on('error', (error) => give(`${node} could not be started: ${error.message}.`));
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code === null ? 1 : code);
    // Ends the way the child ended, so that a shell sees the same.
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}

if (Number(process.versions.node.split('.')[0]) < 20) {
  give(`Yardarm needs Node 20 or newer to start; this is Node ${process.versions.node}.`);
}
const args = process.argv.slice(2);
if (args.length === 0) give('Usage: node scripts/with-node24.js <file> [arguments]');

if (!isInstalled() || !findNode24()) {
  withInstallLock(() => {
    if (!isInstalled() || !findNode24()) runNpmCi();
  });
}
const node = findNode24();
if (!node) {
  give(
    'npm ci left no Node 24 in node_modules/node/bin (is npm told to run no install scripts?): ' +
      'install Node 24 yourself, or run `npm rebuild node --ignore-scripts=false`.',
  );
}
become(node, args);
