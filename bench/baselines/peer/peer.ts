// The public product from npm, in a temporary folder with its own fresh database. It is installed at the first use and
// run as its documentation says. It is a baseline, never a dependency.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../scripts/servers/free-port.ts';
import { startPostgres } from '../../../scripts/servers/postgres.ts';
import { makeDatabase } from '../../../scripts/servers/postgres-address.ts';
import { run } from '../../../scripts/servers/run.js';
import { type Counting, countingSettings } from '../../counting/work.ts';
import { machineEnvironment } from '../../options.ts';
import { Api } from '../../system/api.ts';
import { isAnswered } from '../../system/is-answered.ts';
import { type Program, startProgram } from '../../system/program.ts';

/** The version of the goals. */
const version = '8.2';
const adminToken = '*:*.bench0000000000000000000000000000admin';

/** npm downloads some hundred packages. */
const installLimitMs = 10 * 60_000;
/** The first start runs some hundred migrations. */
const startLimitMs = 120_000;

const program = `
require('unleash-server')
  .start({ server: { port: Number(process.env.PORT), host: '127.0.0.1' }, versionCheck: { enable: false } })
  .catch((error) => { console.error(error); process.exit(1); });
`;

export interface Peer {
  url: string;
  adminToken: string;
  api: Api;
  counting: Counting | undefined;
  stop(): Promise<void>;
}

/** Starts the product on the data in `folder`, and installs it there first if needed. */
export async function startPeer(
  folder: string,
  { say, isCounting }: { say(line: string): void; isCounting: boolean },
): Promise<Peer> {
  await install(folder, say);
  const settings = isCounting ? countingSettings : [];
  const postgres = await startPostgres({ dataDir: path.join(folder, 'postgres'), durable: true, settings });
  try {
    const [port, databaseUrl] = [await freePort(), await makeDatabase(postgres.url, 'unleash')];
    const server = startProgram(path.join(folder, 'main.cjs'), {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...machineEnvironment(),
        ...{ NODE_ENV: 'production', LOG_LEVEL: 'error', PORT: String(port), INIT_ADMIN_API_TOKENS: adminToken },
        ...{ DATABASE_URL: databaseUrl, DATABASE_SSL: 'false' },
        // No telemetry and no version check during the measurement.
        ...{ SEND_TELEMETRY: 'false', CHECK_VERSION: 'false' },
      },
    });
    const url = `http://127.0.0.1:${port}`;
    await untilHealthy(server, url);
    return {
      ...{ url, adminToken, api: new Api(url, adminToken) },
      counting: isCounting ? { databaseUrl, monitoringUrl: undefined } : undefined,
      async stop() {
        await server.stop();
        await postgres.stop();
      },
    };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

async function install(folder: string, say: (line: string) => void): Promise<void> {
  mkdirSync(folder, { recursive: true });
  if (existsSync(path.join(folder, 'node_modules/unleash-server'))) return;
  say(`  installing unleash-server ${version} ...`);
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  writeFileSync(path.join(folder, 'main.cjs'), program);
  const args = ['install', `unleash-server@${version}`, '--no-audit', '--no-fund', '--ignore-scripts'];
  const { code, output } = await run('npm', args, {
    cwd: folder,
    env: machineEnvironment(),
    timeoutMs: installLimitMs,
  });
  if (code !== 0) throw new Error(`npm could not install unleash-server ${version}: ${output}`);
}

async function untilHealthy(server: Program, url: string): Promise<void> {
  const until = Date.now() + startLimitMs;
  while (!server.hasEnded() && Date.now() < until) {
    if (await isAnswered(`${url}/health`)) return;
    await sleep(100);
  }
  await server.stop();
  throw new Error('unleash-server did not start');
}
