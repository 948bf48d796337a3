// The clients of applications, each as its users run it, with what it shows of one flag.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature as OpenFeatureServer } from '@openfeature/server-sdk';
import { OpenFeature as OpenFeatureWeb } from '@openfeature/web-sdk';
import { eventually } from '@yardarm/testing';
import { InMemStorageProvider, Unleash, type UnleashConfig } from 'unleash-client';
import { InMemoryStorageProvider, UnleashClient } from 'unleash-proxy-client';
import { freePort } from '../../scripts/servers/free-port.ts';
import { guard } from '../../scripts/servers/guard.ts';

export interface Client {
  name: string;
  /** Whether it keeps what it read last while the gateway is away. */
  hasMemory: boolean;
  /** Null when it has no answer. */
  shows(): Promise<boolean | null>;
  stop(): Promise<void>;
}

export interface ClientOptions {
  url: string;
  clientToken: string;
  frontendToken: string;
  flag: string;
  /** A folder for the files of the clients. */
  folder: string;
}

/** How often clients poll, instead of every 15 s or 30 s. */
const pollMs = 1_000;

const modes: [string, UnleashConfig['experimentalMode']][] = [
  ['unleash-client that polls listings', { type: 'polling', format: 'full' }],
  ['unleash-client that polls deltas', { type: 'polling', format: 'delta' }],
  ['unleash-client that streams', { type: 'streaming' }],
];

/** Starts each client. Resolves when all have flags. */
export async function startClients(options: ClientOptions): Promise<Client[]> {
  return await Promise.all([
    ...startNodeSdks(options),
    startProxy(options),
    startBrowserSdk(options),
    startServerProvider(options),
    startWebProvider(options),
  ]);
}

/** Starts unleash-client in each of its modes. */
export function startNodeSdks({ url, clientToken, flag }: ClientOptions): Promise<Client>[] {
  return modes.map(async ([name, experimentalMode]) => {
    const sdk = new Unleash({
      ...{ url: `${url}/api/`, appName: name, refreshInterval: pollMs, experimentalMode: experimentalMode! },
      ...{ customHeaders: { Authorization: clientToken }, storageProvider: new InMemStorageProvider() },
      skipInstanceCountWarning: true,
    });
    // During an outage it emits one error for each poll.
    sdk.on('error', () => {});
    await new Promise((resolve) => sdk.once('synchronized', resolve));
    return { name, hasMemory: true, shows: async () => sdk.isEnabled(flag), stop: async () => sdk.destroy() };
  });
}

async function startProxy({ url, clientToken, flag, folder }: ClientOptions): Promise<Client> {
  const port = await freePort();
  const child = spawn(process.execPath, [createRequire(import.meta.url).resolve('@unleash/proxy/dist/start.js')], {
    stdio: 'ignore',
    env: {
      ...{ UNLEASH_URL: `${url}/api`, UNLEASH_API_TOKEN: clientToken, UNLEASH_PROXY_CLIENT_KEYS: 'of-the-proxy' },
      ...{ UNLEASH_FETCH_INTERVAL: String(pollMs), PORT: String(port), TMPDIR: folder },
    },
  });
  const watch = guard('end "$1" KILL', child.pid!);
  const isOn = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/proxy`, { headers: { authorization: 'of-the-proxy' } });
    if (!answer.ok) throw new Error(`the proxy answered ${answer.status}`);
    const { toggles } = (await answer.json()) as { toggles: { name: string }[] };
    return toggles.some(({ name }) => name === flag);
  };
  await eventually(isOn);
  return {
    name: '@unleash/proxy',
    hasMemory: true,
    shows: isOn,
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'exit');
      watch.release();
    },
  };
}

async function startBrowserSdk({ url, frontendToken, flag }: ClientOptions): Promise<Client> {
  const name = 'unleash-proxy-client';
  const sdk = new UnleashClient({
    ...{ url: `${url}/api/frontend`, clientKey: frontendToken, appName: name, refreshInterval: pollMs / 1_000 },
    ...{ storageProvider: new InMemoryStorageProvider(), fetch },
  });
  sdk.on('error', () => {});
  await sdk.start();
  return { name, hasMemory: true, shows: async () => sdk.isEnabled(flag), stop: async () => sdk.stop() };
}

async function startServerProvider({ url, clientToken, flag }: ClientOptions): Promise<Client> {
  const headers: [string, string][] = [['Authorization', clientToken]];
  await OpenFeatureServer.setProviderAndWait(new OFREPProvider({ baseUrl: url, headers }) as never);
  const client = OpenFeatureServer.getClient();
  return {
    name: 'the OFREP provider for servers',
    hasMemory: false,
    async shows() {
      const { value, errorCode } = await client.getBooleanDetails(flag, false);
      return errorCode === undefined ? value : null;
    },
    stop: () => OpenFeatureServer.close(),
  };
}

async function startWebProvider({ url, frontendToken, flag }: ClientOptions): Promise<Client> {
  const headers: [string, string][] = [['Authorization', frontendToken]];
  const provider = new OFREPWebProvider({ baseUrl: url, headers, pollInterval: pollMs });
  await OpenFeatureWeb.setProviderAndWait(provider);
  const client = OpenFeatureWeb.getClient();
  return {
    name: 'the OFREP provider for browsers',
    hasMemory: true,
    async shows() {
      const { value, errorCode } = client.getBooleanDetails(flag, false);
      return errorCode === undefined ? value : null;
    },
    stop: () => OpenFeatureWeb.close(),
  };
}
