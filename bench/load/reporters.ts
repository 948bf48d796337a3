// A thousand SDKs that report usage, in the process of the bench: seventeen small requests a second.
import { flagNames } from '../system/flags.ts';

const sdks = 1_000;
/** The SDKs run in this many applications, each of which evaluates some of the flags. */
const applications = 20;
const flagsOfEach = 100;
/** The default of SDKs. */
const intervalMs = 60_000;

export interface Reporters {
  /** Stops and returns the number of accepted reports. Throws if one was refused. */
  stop(): Promise<number>;
}

/** Each SDK reports the flags of its application once a minute, at its own moment. */
export function startReporters({ url, sdkToken }: { url: string; sdkToken: string }): Reporters {
  const headers = { authorization: sdkToken, 'content-type': 'application/json' };
  const inFlight = new Set<Promise<void>>();
  let next = 0;
  let accepted = 0;
  let firstError: unknown = null;

  async function report(sdk: number): Promise<void> {
    const first = (sdk % applications) * (flagNames.length / applications);
    const names = Array.from({ length: flagsOfEach }, (_, index) => flagNames[(first + index) % flagNames.length]);
    const toggles = Object.fromEntries(names.map((name) => [name, { yes: 30, no: 30, variants: {} }]));
    const bucket = { start: new Date(Date.now() - intervalMs), stop: new Date(), toggles };
    const body = JSON.stringify({ appName: `bench-${sdk % applications}`, instanceId: `bench-${sdk}`, bucket });
    const response = await fetch(`${url}/api/client/metrics`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    if (response.status !== 202) throw new Error(`a report of usage was answered with ${response.status}`);
    accepted += 1;
  }

  const timer = setInterval(() => {
    next = (next + 1) % sdks;
    const sending = report(next)
      .catch((error) => {
        firstError ??= error;
      })
      .finally(() => inFlight.delete(sending));
    inFlight.add(sending);
  }, intervalMs / sdks);

  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(inFlight);
      if (firstError !== null) throw firstError;
      return accepted;
    },
  };
}
