// unleash-client with the flags of a system or of the specification.
import type { TestSystem } from '@yardarm/testing';
import { InMemStorageProvider, Unleash, type UnleashConfig } from 'unleash-client';

const sdkSettings = (): Omit<UnleashConfig, 'url'> => ({
  ...{ appName: 'specification', disableMetrics: true, skipInstanceCountWarning: true },
  storageProvider: new InMemStorageProvider(),
});

/** An SDK that has these flags, without a system. */
export async function sdkOn(data: unknown[], segments: unknown[]): Promise<Unleash> {
  const bootstrap = { data, segments } as never;
  const unleash = new Unleash({ ...sdkSettings(), url: 'http://127.0.0.1:1/api/', refreshInterval: 0, bootstrap });
  // Nothing answers at the URL; the SDK evaluates what it was given.
  unleash.on('error', () => {});
  unleash.on('warn', () => {});
  await new Promise((resolve) => unleash.once('ready', resolve));
  return unleash;
}

export type Mode = NonNullable<UnleashConfig['experimentalMode']>;
/** The modes in which an SDK reads flags. */
export const modes: Mode[] = [
  { type: 'polling', format: 'full' },
  { type: 'polling', format: 'delta' },
  { type: 'streaming' },
];

/** An SDK that has read the flags of the system in this mode. */
export async function sdkInMode(system: TestSystem, experimentalMode: Mode): Promise<Unleash> {
  const customHeaders = { Authorization: system.clientTokens.development };
  const unleash = new Unleash({ ...sdkSettings(), url: `${system.url}/api/`, customHeaders, experimentalMode });
  await new Promise((resolve, reject) => {
    unleash.once('synchronized', resolve);
    unleash.on('error', reject);
    unleash.on('warn', (warning) => reject(new Error(warning)));
  });
  return unleash;
}
