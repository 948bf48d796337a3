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
}

/**
 * SDKs choose these names, and a frontend token is public. So reports make no more of them: the services of a large
 * company, its web pages, some years of SDK versions, ten instances of each of a thousand services, and what a console
 * lists. A client token has half of its environment, since often one token serves all services of a company. A frontend
 * token has a quarter. A thousand events are the services of a company that begins with a new token in one day.
 */
export const usageBounds: UsageBounds = {
  ...{ applications: 5_000, applicationsOfToken: 2_500, frontendApplications: 1_000, frontendApplicationsOfToken: 250 },
  ...{ eventsOfToken: 1_000, sdks: 50, instances: 10_000, unknownFlags: 1_000 },
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
 * The counts of applications beyond the bound are stored under this name, so that the totals of a flag stay right. An
 * application may have the same name.
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

export type HourlyUsage = Omit<UsageRow, 'lastMoment' | 'tokenId' | 'isFrontend'>;

/**
 * One row for each flag, environment, application and hour. An hour in the future, by the clock of another machine, is
 * the current one. Hours that are older than retention are dropped.
 */
export function hourlyUsage(rows: readonly UsageRow[], keepDays: number, now: number): HourlyUsage[] {
  const current = now - (now % hourMs);
  // Partitions are days.
  const oldest = now - (now % (24 * hourMs)) - keepDays * 24 * hourMs;
  const merged = new Map<string, HourlyUsage>();
  for (const { lastMoment: _, tokenId: _id, isFrontend: _is, ...row } of rows) {
    const sent = Date.parse(row.hour);
    const at = Math.min(sent - (sent % hourMs), current);
    if (at < oldest || row.yes + row.no === 0) continue;
    const hour = new Date(at).toISOString();
    const key = JSON.stringify([row.featureName, row.environment, row.application, hour]);
    const known = merged.get(key);
    merged.set(key, known ? sum(known, row) : { ...row, hour, variants: bounded(Object.entries(row.variants)) });
  }
  return [...merged.values()];
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
  /** The environments in which the application was reported, each with the first token that did. */
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
    if (!application.reporters.has(environment)) application.reporters.set(environment, reporterOf(by));
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
