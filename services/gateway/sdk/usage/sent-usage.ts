import type { UsageInstance } from '@yardarm/shared/contracts/flags';
import { isStorableText } from '@yardarm/shared/errors';
import { z } from 'zod';

/** How often an application evaluated a flag in an interval of time. */
export interface FlagCount {
  application: string;
  featureName: string;
  from: number;
  until: number;
  yes: number;
  no: number;
  variants: [string, number][];
}

export type SentInstance = Omit<UsageInstance, 'environment' | 'lastMoment'>;

export interface SentUsage {
  counts: FlagCount[];
  instances: SentInstance[];
  /** The number of entries of the body that cannot be counted. */
  dropped: number;
}

export interface Sender {
  sdkType: 'backend' | 'frontend';
  /** Null for a browser, whose address is that of a person. */
  address: string | null;
  /** The header by which SDKs name themselves that do not register. */
  sdkHeader: string | undefined;
  now: number;
}

// SDKs send no metrics any more after a 400. So a schema only has the shape without which a body says nothing, and
// everything within is read leniently. What a report does not need is left out: to copy 170,000 unknown properties of
// 2 MB would take as long as to parse them.
const appName = z.string().min(1, 'should not be empty');
const anything = z.unknown().optional();
const instance = { appName, instanceId: anything, sdkVersion: anything };
const list = z.array(z.unknown()).nullish();
// A report of 2 MB has 95,000 of them. A schema of objects would copy each.
const toggles = z
  .unknown()
  .refine((value) => value == null || isObject(value), 'should be an object')
  .optional();
const interval = { start: '2026-01-31T12:00:00.000Z', stop: '2026-01-31T12:01:00.000Z' };
const count = { yes: 974, no: 50, variants: { blue: 974 } };
const sdk = { appName: 'shop', instanceId: 'shop-1', sdkVersion: 'unleash-client-node:6.12.1' };

export const metricsBody = z
  .object({
    ...instance,
    bucket: z.object({ start: anything, stop: anything, toggles }).nullish(),
  })
  .meta({ examples: [{ ...sdk, bucket: { ...interval, toggles: { 'new-checkout': count } } }] });

export const registrationBody = z
  .object({ ...instance, strategies: anything, started: anything, interval: anything })
  .meta({ examples: [{ ...sdk, strategies: ['default'], started: interval.start, interval: 60 }] });

export const bulkBody = z.object({ applications: list, metrics: list }).meta({
  examples: [
    {
      applications: [{ ...sdk, environment: 'production', sdkType: 'backend' }],
      metrics: [
        {
          ...{ featureName: 'new-checkout', appName: 'shop', environment: 'production' },
          ...{ timestamp: '2026-01-31T12:00:00.000Z', ...count },
        },
      ],
    },
  ],
});

/** Reading and counting so many takes two milliseconds. A report of 2 MB has a hundred times as many. */
const entriesOfPart = 1_000;

/** What a report has, in parts between which other requests run. */
class Parts {
  #entries = 0;
  sent: SentUsage = { counts: [], instances: [], dropped: 0 };

  /** After an entry: the part if it is complete. */
  *complete(): Generator<SentUsage> {
    this.#entries += 1;
    if (this.#entries % entriesOfPart > 0) return;
    yield this.sent;
    this.sent = { counts: [], instances: [], dropped: 0 };
  }
}

export function* readMetrics(body: z.output<typeof metricsBody>, sender: Sender): Generator<SentUsage> {
  const parts = new Parts();
  const toggles = (body.bucket?.toggles ?? {}) as Record<string, unknown>;
  const application = nameOf(body.appName, 255);
  if (application === null) return yield { ...parts.sent, dropped: Object.keys(toggles).length + 1 };
  parts.sent.instances.push(instanceOf(body, application, sender));
  const until = momentOf(body.bucket?.stop, sender.now) ?? sender.now;
  const started = momentOf(body.bucket?.start, sender.now);
  const from = started !== null && started <= until ? started : until;
  for (const name in toggles) {
    addCount(parts.sent, { application, from, until }, name, toggles[name]);
    yield* parts.complete();
  }
  yield parts.sent;
}

export function* readRegistration(body: z.output<typeof registrationBody>, sender: Sender): Generator<SentUsage> {
  const application = nameOf(body.appName, 255);
  if (application === null) return yield { counts: [], instances: [], dropped: 1 };
  yield { counts: [], instances: [{ ...instanceOf(body, application, sender), ...registrationOf(body) }], dropped: 0 };
}

/** Reads what another server, such as Edge, received from SDKs. Their environment is that of the token. */
export function* readBulk({ applications, metrics }: z.output<typeof bulkBody>, { now }: Sender): Generator<SentUsage> {
  const parts = new Parts();
  for (const entry of applications ?? []) {
    addApplication(parts.sent, entry);
    yield* parts.complete();
  }
  for (const entry of metrics ?? []) {
    addCountOfEntry(parts.sent, entry, now);
    yield* parts.complete();
  }
  yield parts.sent;
}

function addApplication(sent: SentUsage, entry: unknown): void {
  const application = isObject(entry) ? nameOf(entry.appName, 255) : null;
  if (!isObject(entry) || application === null) {
    sent.dropped += 1;
    return;
  }
  const sdkType = entry.sdkType === 'frontend' || entry.sdkType === 'backend' ? entry.sdkType : null;
  const instance = instanceOf(entry, application, { sdkType, address: null, sdkHeader: undefined });
  sent.instances.push({ ...instance, ...registrationOf(entry) });
}

function addCountOfEntry(sent: SentUsage, entry: unknown, now: number): void {
  const application = isObject(entry) ? nameOf(entry.appName, 255) : null;
  if (!isObject(entry) || application === null) {
    sent.dropped += 1;
    return;
  }
  // The time is the beginning of an hour.
  const from = momentOf(entry.timestamp, now) ?? now;
  addCount(sent, { application, from, until: Math.min(from + hourMs, now) }, entry.featureName, entry);
}

const hourMs = 3_600_000;

/** Consoles show two days by the hour. An SDK that could not send for longer counts at the time of its report. */
const maxAgeMs = 48 * hourMs;

/** A time as text or as a number; null if it is none, in the future, or too old. Clocks of devices are often wrong. */
function momentOf(value: unknown, now: number): number | null {
  const at = timeOf(value);
  return at !== null && at <= now && at >= now - maxAgeMs ? at : null;
}

/** As seconds this is the year 5138, as milliseconds 1973. */
const firstMilliseconds = 100_000_000_000;
/** The last year that has four digits. */
const lastTime = Date.UTC(9999, 11, 31);

function timeOf(value: unknown): number | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const seconds = typeof value === 'number' && value < firstMilliseconds;
  const at = typeof value === 'string' ? Date.parse(value) : Math.trunc(seconds ? value * 1000 : value);
  return at >= 0 && at <= lastTime ? at : null;
}

/**
 * More variants than a flag has. A report of 2 MB has room for 220,000 of one flag, which would be read in one slice.
 */
export const maxVariants = 100;

function addCount(
  sent: SentUsage,
  of: Pick<FlagCount, 'application' | 'from' | 'until'>,
  name: unknown,
  counted: unknown,
): void {
  const featureName = nameOf(name, 100);
  const [yes, no] = isObject(counted) ? [countOf(counted.yes), countOf(counted.no)] : [null, null];
  if (featureName === null || yes === null || no === null) {
    sent.dropped += 1;
    return;
  }
  if (yes + no === 0) return;
  const variants: [string, number][] = [];
  const { variants: sentVariants } = counted as { variants?: unknown };
  let read = 0;
  for (const variant in isObject(sentVariants) ? sentVariants : {}) {
    read += 1;
    if (read > maxVariants) {
      sent.dropped += 1;
      break;
    }
    const variantName = nameOf(variant, 100);
    const times = countOf((sentVariants as Record<string, unknown>)[variant]);
    if (variantName === null || times === null) sent.dropped += 1;
    else if (times > 0) variants.push([variantName, times]);
  }
  sent.counts.push({ ...of, featureName, yes, no, variants });
}

/** More than a server can evaluate between two reports. */
const maxCount = 1_000_000_000;

/** Null for what is no count. A missing one is 0. */
function countOf(value: unknown): number | null {
  if (value === undefined || value === null) return 0;
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maxCount ? (value as number) : null;
}

function instanceOf(
  body: Record<string, unknown>,
  application: string,
  { sdkType, address, sdkHeader }: Pick<SentInstance, 'sdkType' | 'address'> & Pick<Sender, 'sdkHeader'>,
): SentInstance {
  // Backend SDKs register, and some name themselves differently there.
  const named = sdkType === 'frontend' ? nameOf(sdkHeader, 255) : null;
  return {
    application,
    instanceId: nameOf(body.instanceId, 255) ?? 'default',
    sdkVersion: nameOf(body.sdkVersion, 255) ?? named,
    ...{ sdkType, address, strategies: null, started: null, interval: null },
  };
}

/** More than an application has strategies. */
const maxStrategies = 100;

/** Strategies that are no list are not known. An empty list says that the SDK knows none. */
function registrationOf(body: Record<string, unknown>): Pick<SentInstance, 'strategies' | 'started' | 'interval'> {
  const sent = Array.isArray(body.strategies) ? body.strategies.slice(0, maxStrategies) : null;
  const strategies = sent?.map((strategy) => nameOf(strategy, 100)).filter((strategy) => strategy !== null);
  const started = timeOf(body.started);
  return {
    strategies: strategies ? [...new Set(strategies)] : null,
    started: started === null ? null : new Date(started).toISOString(),
    interval: Number.isFinite(body.interval) ? (body.interval as number) : null,
  };
}

/** The text if it can be stored as a name, else null. */
function nameOf(value: unknown, maxLength: number): string | null {
  const isName = typeof value === 'string' && value.length > 0 && value.length <= maxLength && isStorableText(value);
  return isName ? value : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
