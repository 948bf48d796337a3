import { randomUUID } from 'node:crypto';
import { splitIntoPieces } from '@yardarm/shared/bus';
import { maxUsageInstances, maxUsageRows, type UsageInstance, type UsageRow } from '@yardarm/shared/contracts/flags';
import type { FlagCount, SentUsage } from './sent-usage.ts';

/** One report of usage. Its id makes a repeated one count once. */
export interface UsageBatch {
  batchId: string;
  rows: UsageRow[];
  instances: UsageInstance[];
}

/** The token of a report. Flags gives each token a share of the applications of its environment. */
export interface ReportToken {
  environment: string;
  tokenId: number;
  isFrontend: boolean;
}

interface Row {
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
  bytes: number;
  rows: Map<string, Row>;
  instances: Map<string, UsageInstance>;
}

export interface UsageBufferLimits {
  bytes: number;
  bytesPerApplication: number;
}

/**
 * A hundred thousand flags of applications, which a gateway receives within seconds only from a mistake. An application
 * that makes up names of flags leaves three quarters of the space to the others.
 */
const defaultLimits: UsageBufferLimits = { bytes: 40_000_000, bytesPerApplication: 10_000_000 };

// What an entry takes in memory at most, apart from its texts of two bytes a character: measured in Node 24 with a
// million of them.
const rowBytes = 400;
const variantBytes = 100;
const instanceBytes = 500;
const applicationBytes = 700;
const bytesOf = (...texts: (string | null)[]) => texts.reduce((sum, text) => sum + 2 * (text?.length ?? 0), 0);

/** More variants than a flag has. */
const maxVariants = 100;

/** The rows have half of a message, and the instances the other half. */
const halfMessageBytes = 400_000;

const hourMs = 3_600_000;

/** Sums up usage by application, flag and hour within a limit of memory. */
export class UsageBuffer {
  readonly #limits: UsageBufferLimits;
  #applications = new Map<string, Application>();
  #bytes = 0;

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
      if (!into || (!(known && strategies === null) && !this.#take(into, bytes))) dropped += 1;
      else into.instances.set(instance.instanceId, merged(known, { ...instance, environment, application }, now));
    }
    for (const count of counts) {
      const into = this.#application(by, count.application);
      dropped += into ? this.#count(into, count) : 1;
    }
    return dropped;
  }

  /** Empties the buffer, and returns what it had in batches. */
  take(): UsageBatch[] {
    const applications = [...this.#applications.values()];
    this.#applications = new Map();
    this.#bytes = 0;
    const rows = applications.flatMap((application) =>
      [...application.rows.values()].map((row) => toRow(application, row)),
    );
    const instances = applications.flatMap(({ by, instances }) =>
      [...instances.values()].map((instance) => ({ ...instance, ...tokenOf(by) })),
    );
    const rowPieces = splitIntoPieces(rows, { bytes: halfMessageBytes, items: maxUsageRows });
    const instancePieces = splitIntoPieces(instances, { bytes: halfMessageBytes, items: maxUsageInstances });
    return Array.from({ length: Math.max(rowPieces.length, instancePieces.length) }, (_, index) => ({
      batchId: randomUUID(),
      rows: rowPieces[index] ?? [],
      instances: instancePieces[index] ?? [],
    }));
  }

  #application(by: ReportToken, name: string): Application | null {
    const key = `${by.environment}\n${name}`;
    const known = this.#applications.get(key);
    if (known?.by.isFrontend && !by.isFrontend) known.by = by;
    if (known) return known;
    const made = { by, name, bytes: 0, rows: new Map(), instances: new Map() };
    if (!this.#take(made, applicationBytes + bytesOf(key, name))) return null;
    this.#applications.set(key, made);
    return made;
  }

  #count(into: Application, { featureName, from, until, yes, no, variants }: FlagCount): number {
    const hour = from - (from % hourMs);
    const key = `${hour} ${featureName}`;
    let row = into.rows.get(key);
    if (!row) {
      if (!this.#take(into, rowBytes + bytesOf(key, featureName))) return 1;
      row = { featureName, hour, yes: 0, no: 0, variants: new Map(), lastMoment: until };
      into.rows.set(key, row);
    }
    row.yes = sum(row.yes, yes);
    row.no = sum(row.no, no);
    row.lastMoment = Math.max(row.lastMoment, until);
    let dropped = 0;
    for (const [name, count] of variants) {
      const known = row.variants.get(name);
      if (known !== undefined) row.variants.set(name, sum(known, count));
      else if (row.variants.size < maxVariants && this.#take(into, variantBytes + bytesOf(name)))
        row.variants.set(name, count);
      else dropped += 1;
    }
    return dropped;
  }

  #take(application: Application, bytes: number): boolean {
    if (this.#bytes + bytes > this.#limits.bytes) return false;
    if (application.bytes + bytes > this.#limits.bytesPerApplication) return false;
    this.#bytes += bytes;
    application.bytes += bytes;
    return true;
  }
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

function toRow({ by, name: application }: Application, row: Row): UsageRow {
  const { environment } = by;
  const { featureName, yes, no } = row;
  const hour = new Date(row.hour).toISOString();
  const lastMoment = new Date(row.lastMoment).toISOString();
  return {
    environment,
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
