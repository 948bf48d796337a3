import type { UsageInstance, UsageRow } from '@yardarm/shared/contracts/flags';

const hourMs = 3_600_000;

/** More names of variants than a flag has. Reports of an application with invented ones do not grow a row further. */
export const maxVariants = 100;

export interface UsageBounds {
  /** Made by reports with client tokens, per environment. Administrators make as many. */
  applications: number;
  applicationsOfToken: number;
  /** The same for frontend tokens. */
  frontendApplications: number;
  frontendApplicationsOfToken: number;
  /** How many events of applications the reports of a client token make in a day. */
  eventsOfToken: number;
  /** How many versions of SDKs one application may report. */
  sdks: number;
  /** How many instances one environment may have. */
  instances: number;
  /** Names of no flag with an application, per environment. */
  unknownFlags: number;
  /** How many entries of usage the reports of a client token make in a day: rows, and names of variants in them. */
  entriesOfToken: number;
  /** Those of all client tokens together. */
  entries: number;
  /** The same for frontend tokens. */
  frontendEntriesOfToken: number;
  frontendEntries: number;
}

/**
 * SDKs choose these names, and a frontend token is public. So reports make no more of them: the services of a large
 * company, its web pages, some years of SDK versions, ten instances of each of a thousand services, and what a console
 * lists. A client token has half of its environment, since often one token serves all services of a company. A frontend
 * token has a quarter. A thousand events are the services of a company that begins with a new token in one day.
 *
 * A token makes a row for each flag, application and hour. Two million are a thousand services with eighty flags each,
 * in all hours of a day, and 100,000 are ten web pages with four hundred flags each. Together tokens make at most five
 * and ten times as many. An entry takes some 270 bytes on the disk, so a frontend token fills 27 MB in a day.
 */
export const usageBounds: UsageBounds = {
  ...{ applications: 5_000, applicationsOfToken: 2_500, frontendApplications: 1_000, frontendApplicationsOfToken: 250 },
  ...{ eventsOfToken: 1_000, sdks: 50, instances: 10_000, unknownFlags: 1_000 },
  ...{ entriesOfToken: 2_000_000, entries: 10_000_000 },
  ...{ frontendEntriesOfToken: 100_000, frontendEntries: 1_000_000 },
};

/** The token of a report. */
export interface Reporter {
  /** Null from a gateway of the release before. */
  tokenId: number | null;
  isFrontend: boolean;
}

export function reporterOf({ tokenId, isFrontend }: Pick<UsageRow, 'tokenId' | 'isFrontend'>): Reporter {
  return { tokenId: tokenId ?? null, isFrontend: isFrontend ?? false };
}

/**
 * The counts of applications beyond the bound, and of tokens beyond their entries, are stored under this name, so that
 * the totals of a flag stay right. An application may have the same name.
 */
export const otherApplications = 'other-applications';

export interface LastUse {
  featureName: string;
  environment: string;
  lastMoment: Date;
}

/** The last use of each flag in each environment. A row without any evaluation is none. */
export function lastUses(rows: readonly UsageRow[]): LastUse[] {
  const uses = new Map<string, LastUse>();
  for (const { environment, featureName, yes, no, lastMoment: text } of rows) {
    if (yes + no === 0) continue;
    const key = JSON.stringify([featureName, environment]);
    const lastMoment = new Date(text);
    const known = uses.get(key);
    if (!known || known.lastMoment < lastMoment) uses.set(key, { featureName, environment, lastMoment });
  }
  return [...uses.values()];
}

export type HourlyUsage = Omit<UsageRow, 'lastMoment'>;

/**
 * One row for each flag, environment, application and hour. An hour in the future, by the clock of another machine, is
 * the current one. Hours that are older than retention are dropped.
 */
export function hourlyUsage(rows: readonly UsageRow[], keepDays: number, now: number): HourlyUsage[] {
  // Partitions are days.
  const oldest = now - (now % (24 * hourMs)) - keepDays * 24 * hourMs;
  const kept = rows.flatMap(({ lastMoment: _, ...row }) => {
    const at = Math.min(Date.parse(row.hour), now);
    if (at < oldest || row.yes + row.no === 0) return [];
    return { ...row, hour: hourOf(at), variants: bounded(Object.entries(row.variants)) };
  });
  return mergeUsage(kept);
}

/** One row for each flag, environment, application and hour. It is of the token of the first one. */
export function mergeUsage(rows: readonly HourlyUsage[]): HourlyUsage[] {
  const merged = new Map<string, HourlyUsage>();
  for (const row of rows) {
    const key = JSON.stringify([row.featureName, row.environment, row.application, row.hour]);
    const known = merged.get(key);
    merged.set(key, known ? sum(known, row) : row);
  }
  return [...merged.values()];
}

export function hourOf(moment: number): string {
  return new Date(moment - (moment % hourMs)).toISOString();
}

function sum(one: HourlyUsage, { yes, no, variants }: Pick<UsageRow, 'yes' | 'no' | 'variants'>): HourlyUsage {
  const summed = new Map(Object.entries(one.variants));
  for (const [name, count] of Object.entries(variants)) summed.set(name, (summed.get(name) ?? 0) + count);
  return { ...one, yes: one.yes + yes, no: one.no + no, variants: bounded(summed) };
}

function bounded(variants: Iterable<[string, number]>): Record<string, number> {
  return Object.fromEntries([...variants].slice(0, maxVariants));
}

/** What is known of each application of a batch: the instance that said its strategies last, if one did. */
export interface ReportedApplication {
  name: string;
  /** The environments in which it was reported, each with the first client token that did, else the first token. */
  reporters: ReadonlyMap<string, Reporter>;
  registration: UsageInstance | null;
}

export function reportedApplications(
  rows: readonly UsageRow[],
  instances: readonly UsageInstance[],
): ReportedApplication[] {
  const applications = new Map<string, ReportedApplication & { reporters: Map<string, Reporter> }>();
  const reported = ({ application: name, environment, ...by }: UsageRow | UsageInstance) => {
    const application = applications.get(name) ?? { name, reporters: new Map(), registration: null };
    const reporter = reporterOf(by);
    const known = application.reporters.get(environment);
    if (!known || (known.isFrontend && !reporter.isFrontend)) application.reporters.set(environment, reporter);
    applications.set(name, application);
    return application;
  };
  for (const row of rows) reported(row);
  for (const instance of instances) {
    const application = reported(instance);
    if (instance.strategies !== null) application.registration = instance;
  }
  return [...applications.values()];
}

/** The first instance with each SDK version of each application. */
export function reportedSdks(instances: readonly UsageInstance[]): (UsageInstance & { sdkVersion: string })[] {
  const sdks = new Map<string, UsageInstance & { sdkVersion: string }>();
  for (const instance of instances) {
    const { application, sdkVersion } = instance;
    if (sdkVersion === null) continue;
    const key = JSON.stringify([application, sdkVersion]);
    const known = sdks.get(key);
    // A registration says more than a report.
    if (!known || (known.strategies === null && instance.strategies !== null))
      sdks.set(key, { ...instance, sdkVersion });
  }
  return [...sdks.values()];
}

export function registrationEventData(instance: UsageInstance): Record<string, unknown> {
  const { application: appName, instanceId, sdkVersion, strategies, started, interval } = instance;
  return { appName, instanceId, sdkVersion, strategies: strategies ?? [], started, interval };
}
