import type pg from 'pg';
import { MigrationError, type MigrationSet } from './migration-set.ts';

/** A role that may log in, with the address at which it does. */
export interface Login {
  name: string;
  password: string;
  url: string;
}

export interface ServiceSchema {
  schema: string;
  /** The role that owns the schema and the tables. It runs the migrations, with a login of its own if it has one. */
  owner: string;
  /** Null for an owner without a login: then the owner of the database acts as this role. */
  ownerLogin: Login | null;
  /** The service's login role. May read and write rows, but not create or change tables. */
  login: Login;
  extensions: readonly string[];
}

const ownerSuffix = '_owner';

/** The role that owns the schema of a service with this login. */
export function ownerOf(login: string): string {
  return `${login}${ownerSuffix}`;
}

/** The login of the service whose schema this role owns. Throws MigrationError for a role of another name. */
export function loginOfOwner(schema: string, owner: string): string {
  if (owner.endsWith(ownerSuffix) && owner !== ownerSuffix) return owner.slice(0, -ownerSuffix.length);
  throw new MigrationError(
    `The schema ${schema} belongs to the role ${owner}. Its owner should have the name of the login of ${schema} and ${ownerSuffix}.`,
  );
}

/** The roles and the schema of a service. Throws MigrationError for URLs without a user and a password. */
export function serviceSchemaOf(set: MigrationSet, loginUrl: string, ownerUrl?: string): ServiceSchema {
  const login = loginOf(set.service, loginUrl, 'login');
  const owner = ownerOf(login.name);
  const ownerLogin = ownerUrl === undefined ? null : loginOf(set.service, ownerUrl, 'owner');
  if (ownerLogin !== null && ownerLogin.name !== owner) {
    throw new MigrationError(
      `The owner URL of ${set.service} names the user ${ownerLogin.name}. It should be ${owner}, the owner of the schema of ${login.name}.`,
    );
  }
  return { schema: set.service, owner, ownerLogin, login, extensions: set.extensions ?? [] };
}

function loginOf(service: string, url: string, kind: 'login' | 'owner'): Login {
  const { username, password } = new URL(url);
  if (username === '' || password === '')
    throw new MigrationError(`The ${kind} URL of ${service} names no user with a password: both become its login.`);
  return { name: decodeURIComponent(username), password: decodeURIComponent(password), url };
}

export function loginsIn(places: readonly ServiceSchema[]): Login[] {
  return places.flatMap(({ login, ownerLogin }) => (ownerLogin === null ? [login] : [login, ownerLogin]));
}

/** A login that two services share, or that is a superuser, could read the tables of other services. */
export async function refuseUnsafeLogins(client: pg.Client, places: readonly ServiceSchema[]): Promise<void> {
  const names = loginsIn(places).map(({ name }) => name);
  const shared = names.find((name, index) => names.indexOf(name) !== index);
  if (shared !== undefined) {
    throw new MigrationError(
      `Two services have the login ${shared}: each needs its own, which can read its own schema only.`,
    );
  }
  const { rows } = await client.query<{ rolname: string }>(
    'select rolname from pg_roles where rolname = any ($1) and (rolsuper or rolname = current_user)',
    [names],
  );
  if (rows[0]) {
    throw new MigrationError(
      `${rows[0].rolname} owns the database or is a superuser, so it cannot be the login of a service: name another user.`,
    );
  }
}

/** Another system may use the logins with their present passwords. */
export function otherPasswords(refusing: readonly Login[]): MigrationError {
  const names = refusing.map(({ name }) => name).join(', ');
  return new MigrationError(
    `The database has the logins ${names}, and they do not accept the passwords of their URLs. Nothing was changed. ` +
      'Another Yardarm may use them. Use the passwords that they were made with, or stop the other and set ' +
      'YARDARM_TAKE_OVER_DATABASE=1, which gives them these passwords.',
  );
}
