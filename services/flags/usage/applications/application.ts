import type { ApplicationEnvironment, ProjectApplication } from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';

export function applicationNotFound(name: string): AppError {
  return new AppError('not-found', `Could not find the application with name ${redactValue(name, [])}.`);
}

export function tooManyApplications(limit: number): AppError {
  return new AppError(
    'limit-exceeded',
    `There may be at most ${limit} applications that administrators made. Delete one before you add another.`,
  );
}

export function applicationOrderingKey(name: string): string {
  return `application:${name}`;
}

export interface NewApplication {
  name: string;
  strategies?: readonly string[] | undefined;
  description?: string | null | undefined;
  url?: string | null | undefined;
  color?: string | null | undefined;
  icon?: string | null | undefined;
}

export function applicationEventData(
  { name: appName, strategies = [], description = null, url = null, color = null, icon = null }: NewApplication,
  createdBy: string,
): Record<string, unknown> {
  return { appName, createdBy, strategies, description, url, color, icon };
}

/** The name and version of an SDK, such as `unleash-client-node:6.12.1`. */
interface Sdk {
  name: string;
  version: string;
  major: number | null;
}

function readSdk(sdkVersion: string): Sdk {
  const colon = sdkVersion.lastIndexOf(':');
  const name = colon === -1 ? sdkVersion : sdkVersion.slice(0, colon);
  const version = colon === -1 ? '' : sdkVersion.slice(colon + 1);
  const major = /^v?(\d{1,9})\./.exec(version)?.[1];
  return { name, version, major: major === undefined ? null : Number(major) };
}

/** The SDK versions of a list that are outdated: `known` has a later major version of the same SDK. */
export function outdatedSdks(sdkVersions: readonly string[], known: readonly string[]): string[] {
  const latest = new Map<string, number>();
  for (const { name, major } of known.map(readSdk)) {
    if (major !== null) latest.set(name, Math.max(major, latest.get(name) ?? 0));
  }
  return sdkVersions.filter((sdkVersion) => {
    const { name, major } = readSdk(sdkVersion);
    return major !== null && major < (latest.get(name) ?? 0);
  });
}

/** The SDKs of a project's application, by name, each with its versions. */
export function sdksByName(sdkVersions: readonly string[]): ProjectApplication['sdks'] {
  const byName = Map.groupBy(sdkVersions.map(readSdk), ({ name }) => name);
  return [...byName].map(([name, sdks]) => ({ name, versions: sdks.map(({ version }) => version) }));
}

export interface ReadApplicationEnvironment extends Pick<ApplicationEnvironment, 'name' | 'instanceCount' | 'sdks'> {
  frontendSdks: string[];
  backendSdks: string[];
  lastSeen: Date | null;
  missingFeatures: string[];
}

export function toApplicationEnvironment(
  { missingFeatures, lastSeen, ...environment }: ReadApplicationEnvironment,
  known: readonly string[],
): ApplicationEnvironment {
  return {
    ...environment,
    lastSeen: lastSeen?.toISOString() ?? null,
    issues: { missingFeatures, outdatedSdks: outdatedSdks(environment.sdks, known) },
  };
}
