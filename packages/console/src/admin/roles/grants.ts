import type { PermissionName, Role } from '../../api/admin-queries.ts';

/** A permission of a role. One of environments without an environment is for each of them. */
export interface Grant {
  name: PermissionName;
  environment: string | null;
}

/** Whether a role with these permissions gives the permission. */
export function gives(grants: readonly Grant[], { name, environment }: Grant): boolean {
  return grants.some(
    (grant) =>
      grant.name === 'ADMIN' || (grant.name === name && (!grant.environment || grant.environment === environment)),
  );
}

const isSame = (one: Grant, other: Grant) =>
  one.name === other.name && (one.environment || null) === (other.environment || null);

/** Whether exactly this permission is among those of a role. */
export const has = (grants: readonly Grant[], grant: Grant) => grants.some((each) => isSame(each, grant));

export const withGrant = (grants: readonly Grant[], grant: Grant, isGiven: boolean): Grant[] => {
  const others = grants.filter((each) => !isSame(each, grant));
  return isGiven ? [...others, grant] : others;
};

/** Roles of the whole instance; the others are given in a project. */
export const isRootRole = ({ type }: Role) => type === 'root' || type === 'root-custom';

/** Roles that Yardarm has from the start cannot be changed. */
export const isCustom = ({ type }: Role) => type === 'custom' || type === 'root-custom';
