import semver from 'semver';

/** A version as SDKs read it: semver 2.0.0, blanks around it ignored. Null if it is none. */
export function parseVersion(text: string): semver.SemVer | null {
  return semver.parse(text);
}
