import { randomUUID } from 'node:crypto';
import { splitIntoPieces } from '@yardarm/shared/bus';
import { maxUsageInstances, maxUsageRows, type UsageInstance, type UsageRow } from '@yardarm/shared/contracts/flags';
import { type FlagCount, maxVariants, type SentUsage } from './sent-usage.ts';

/** One report of usage. Its id makes a repeated one count once. */
export interface UsageBatch {
  batchId: string;
  rows: UsageRow[];
  instances: UsageInstance[];
}

/** The token of a report. Flags gives each token a share of applications and of rows of usage. */
export interface ReportToken {
  environment: string;
  tokenId: number;
  isFrontend: boolean;
}

interface Row {
  /** The first token that reported it, or the first client token. */
  by: ReportToken;
  featureName: string;
  hour: number;
  yes: number;
  no: number;
  variants: Map<string, number>;
  lastMoment: number;
}

interface Application {
  /** The first token that reported it, or the first client token. */
  by: ReportToken;
  name: string;
  /** By the token that brought the entries. */
  bytes: Map<number, number>;
  rows: Map<string, Row>;
  instances: Map<string, UsageInstance>;
}

export interface UsageBufferLimits {
  /** Of all entries. */
  bytes: number;
  /** Of the entries that one client token brought. */
  bytesPerToken: number;
  /** Of those of all frontend tokens, which anybody may have. */
  bytesOfFrontends: number;
  /** Of those of one frontend token. */
  bytesPerFrontend: number;
  /** Of those of one token in one application. */
  bytesPerApplication: number;
}

/**
 * All is a hundred thousand flags of applications, which a gateway receives within seconds only from a mistake. A
 * backend with one token has half of it: 30,000 instances, or 40,000 flags of applications. Frontend tokens have at
 * most the other half together, and one of them a half of that. A token that makes up flags of an application leaves
 * room to its other applications, and to the other tokens of the application.
 */
const defaultLimits: UsageBufferLimits = {
  ...{ bytes: 40_000_000, bytesPerToken: 20_000_000, bytesPerApplication: 10_000_000 },
  ...{ bytesOfFrontends: 20_000_000, bytesPerFrontend: 10_000_000 },
};

// What an entry takes in memory at most, apart from its texts of two bytes a character: measured in Node 24 with a
// million of them.
const rowBytes = 400;
const variantBytes = 100;
const instanceBytes = 500;
const applicationBytes = 700;
const bytesOf = (...texts: (string | null)[]) => texts.reduce((sum, text) => sum + 2 * (text?.length ?? 0), 0);

/** The rows have half of a message, and the instances the other half. */
const halfMessageBytes = 400_000;

const hourMs = 3_600_000;

/**
 * Sums up usage by application, flag and hour within limits of memory. The states of an entry, which is a row, a
 * variant of a row, an instance or an application:
 *
 *   made     Its bytes count for the token that brought it first: in all shares of the token, or it is not made.
 *   known    Counts of every token are added to it. They take no memory.
 *   taken    With all others, in batches. All shares are empty again.
 *
 * So a token whose share is used up loses its own new entries, and no other token does.
 */
export class UsageBuffer {
  readonly #limits: UsageBufferLimits;
  #applications = new Map<string, Application>();
  #bytes = 0;
  #bytesOfFrontends = 0;
  #bytesOfTokens = new Map<number, number>();

  constructor(limits = defaultLimits) {
    this.#limits = limits;
  }

  /** Adds what fits and returns how many entries did not. What has a row is counted in any case. */
  add(by: ReportToken, { counts, instances }: SentUsage, now: number): number {
    const { environment } = by;
    let dropped = 0;
    for (const { application, ...instance } of instances) {
      const into = this.#application(by, application);
      const known = into?.instances.get(instance.instanceId);
      const { sdkVersion, address, strategies } = instance;
      const bytes = instanceBytes + bytesOf(instance.instanceId, sdkVersion, address, ...(strategies ?? []));
      if (!into || (!(known && strategies === null) && !this.#take(by, into, bytes))) dropped += 1;
      else into.instances.set(instance.instanceId, merged(known, { ...instance, environment, application }, now));
    }
    for (const count of counts) {
      const into = this.#application(by, count.application);
      dropped += into ? this.#count(by, into, count) : 1;
    }
    return dropped;
  }

  /**
   * Empties the buffer, and returns what it had in batches. Each is made when it is read: making all of a full buffer
   * takes 0.2 s.
   */
  take(): Generator<UsageBatch, void> {
    const applications = [...this.#applications.values()];
    this.#applications = new Map();
    this.#bytes = 0;
    this.#bytesOfFrontends = 0;
    this.#bytesOfTokens = new Map();
    return batchesOf(applications);
  }

  #application(by: ReportToken, name: string): Application | null {
    const key = `${by.environment}\n${name}`;
    const known = this.#applications.get(key);
    if (known?.by.isFrontend && !by.isFrontend) known.by = by;
    if (known) return known;
    const made = { by, name, bytes: new Map(), rows: new Map(), instances: new Map() };
    if (!this.#take(by, made, applicationBytes + bytesOf(key, name))) return null;
    this.#applications.set(key, made);
    return made;
  }

  #count(by: ReportToken, into: Application, { featureName, from, until, yes, no, variants }: FlagCount): number {
    const hour = from - (from % hourMs);
    const key = `${hour} ${featureName}`;
    let row = into.rows.get(key);
    if (!row) {
      if (!this.#take(by, into, rowBytes + bytesOf(key, featureName))) return 1;
      row = { by, featureName, hour, yes: 0, no: 0, variants: new Map(), lastMoment: until };
      into.rows.set(key, row);
    }
    if (row.by.isFrontend && !by.isFrontend) row.by = by;
    row.yes = sum(row.yes, yes);
    row.no = sum(row.no, no);
    row.lastMoment = Math.max(row.lastMoment, until);
    let dropped = 0;
    for (const [name, count] of variants) {
      const known = row.variants.get(name);
      if (known !== undefined) row.variants.set(name, sum(known, count));
      else if (row.variants.size < maxVariants && this.#take(by, into, variantBytes + bytesOf(name)))
        row.variants.set(name, count);
      else dropped += 1;
    }
    return dropped;
  }

  #take({ tokenId, isFrontend }: ReportToken, application: Application, bytes: number): boolean {
    const limits = this.#limits;
    const ofToken = (this.#bytesOfTokens.get(tokenId) ?? 0) + bytes;
    const inApplication = (application.bytes.get(tokenId) ?? 0) + bytes;
    if (this.#bytes + bytes > limits.bytes) return false;
    if (isFrontend && this.#bytesOfFrontends + bytes > limits.bytesOfFrontends) return false;
    if (ofToken > (isFrontend ? limits.bytesPerFrontend : limits.bytesPerToken)) return false;
    if (inApplication > limits.bytesPerApplication) return false;
    this.#bytes += bytes;
    if (isFrontend) this.#bytesOfFrontends += bytes;
    this.#bytesOfTokens.set(tokenId, ofToken);
    application.bytes.set(tokenId, inApplication);
    return true;
  }
}

function* batchesOf(applications: readonly Application[]): Generator<UsageBatch, void> {
  const rows = pieces(rowsOf(applications), maxUsageRows);
  const instances = pieces(instancesOf(applications), maxUsageInstances);
  for (;;) {
    const [nextRows, nextInstances] = [rows.next().value, instances.next().value];
    if (!nextRows && !nextInstances) return;
    yield { batchId: randomUUID(), rows: nextRows ?? [], instances: nextInstances ?? [] };
  }
}

function* rowsOf(applications: readonly Application[]): Generator<UsageRow> {
  for (const application of applications) {
    for (const row of application.rows.values()) yield toRow(application, row);
  }
}

function* instancesOf(applications: readonly Application[]): Generator<UsageInstance> {
  for (const { by, instances } of applications) {
    for (const instance of instances.values()) yield { ...instance, ...tokenOf(by) };
  }
}

/** Pieces of half a message each. */
function* pieces<Item>(items: Iterable<Item>, maxItems: number): Generator<Item[], void> {
  let some: Item[] = [];
  for (const item of items) {
    some.push(item);
    if (some.length < maxItems) continue;
    yield* splitIntoPieces(some, { bytes: halfMessageBytes, items: maxItems });
    some = [];
  }
  yield* splitIntoPieces(some, { bytes: halfMessageBytes, items: maxItems });
}

/** A sum that every reader of JSON has exactly. */
function sum(one: number, other: number): number {
  return Math.min(one + other, Number.MAX_SAFE_INTEGER);
}

function merged(known: UsageInstance | undefined, sent: Omit<UsageInstance, 'lastMoment'>, now: number): UsageInstance {
  const lastMoment = new Date(now).toISOString();
  if (!known) return { ...sent, lastMoment };
  return {
    ...sent,
    sdkVersion: sent.sdkVersion ?? known.sdkVersion,
    strategies: sent.strategies ?? known.strategies,
    started: sent.started ?? known.started,
    interval: sent.interval ?? known.interval,
    lastMoment,
  };
}

function tokenOf({ tokenId, isFrontend }: ReportToken): Pick<UsageRow, 'tokenId' | 'isFrontend'> {
  return { tokenId, ...(isFrontend && { isFrontend }) };
}

function toRow({ name: application }: Application, row: Row): UsageRow {
  const { by, featureName, yes, no } = row;
  const hour = new Date(row.hour).toISOString();
  const lastMoment = new Date(row.lastMoment).toISOString();
  return {
    environment: by.environment,
    application,
    featureName,
    hour,
    yes,
    no,
    variants: Object.fromEntries(row.variants),
    lastMoment,
    ...tokenOf(by),
  };
}
