import { spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../servers/free-port.ts';
import { startPostgres } from '../servers/postgres.ts';
import { makeDatabase } from '../servers/postgres-address.ts';
import { run } from '../servers/run.js';
import { inherited } from './options.ts';
import { type Login, type System, waitUntilReady } from './system.ts';

/** The release that docs/compatibility.md describes. Known differences are those to it. */
export const peerVersion = '8.2.0';

/**
 * Installs unleash-server into `folder` and runs it with a Postgres of its own. The package is licensed under the AGPL:
 * it runs here as a separate program and is no dependency of this project.
 */
export async function startPeer(folder: string, login: Login, say: (line: string) => void): Promise<System> {
  say(`Installing unleash-server ${peerVersion}`);
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  // No script of a package is needed to run it.
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact'];
  const { code, output } = await run('npm', ['install', ...options, `unleash-server@${peerVersion}`], { cwd: folder });
  if (code !== 0) throw new Error(`unleash-server could not be installed: ${output}`);

  const postgres = await startPostgres({ dataDir: path.join(folder, 'postgres'), durable: false, temporary: true });
  const port = await freePort();
  writeFileSync(path.join(folder, 'start.js'), "import { start } from 'unleash-server';\nawait start();\n");
  const log = openSync(path.join(folder, 'unleash-server.log'), 'w');
  const child = spawn(process.execPath, ['start.js'], {
    cwd: folder,
    stdio: ['ignore', log, log],
    env: {
      ...inherited,
      DATABASE_URL: await makeDatabase(postgres.url, 'unleash'),
      DATABASE_SSL: 'false',
      HTTP_HOST: '127.0.0.1',
      HTTP_PORT: String(port),
      INIT_ADMIN_API_TOKENS: login.adminToken,
      UNLEASH_DEFAULT_ADMIN_USERNAME: 'admin',
      UNLEASH_DEFAULT_ADMIN_PASSWORD: login.password,
      // It asks its vendor for new versions and reports usage otherwise.
      CHECK_VERSION: 'false',
      SEND_TELEMETRY: 'false',
    },
  });
  closeSync(log);
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null && child.kill('SIGKILL')) await ended;
    await postgres.stop();
  };
  try {
    await waitUntilReady(child, `${url}/health`);
  } catch (error) {
    await stop();
    throw error;
  }
  return { name: 'unleash-server', url, stop };
}
