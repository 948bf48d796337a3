import type { TokenKind } from '@yardarm/shared/contracts/accounts';
import type { Generated, SharedTables } from '@yardarm/shared/db';

/** People and service accounts: one id space, since events and collaborators name either by a user id. */
export interface UsersTable {
  id: Generated<number>;
  kind: 'user' | 'service-account';
  name: string | null;
  username: string | null;
  email: string | null;
  root_role: number;
  /** argon2id in PHC form; null for service accounts and for people who have not chosen a password yet. */
  password_hash: string | null;
  must_change_password: Generated<boolean>;
  /** Logins that failed since the last that did not. */
  login_attempts: Generated<number>;
  /** The last login. */
  seen_at: Date | null;
  created_at: Generated<Date>;
  deleted_at: Date | null;
}

export interface RolesTable {
  id: Generated<number>;
  type: 'root' | 'root-custom' | 'project' | 'custom';
  name: string;
  description: string;
}

export interface RolePermissionsTable {
  role_id: number;
  permission: string;
  /** Null holds in every environment. */
  environment: string | null;
}

/** Every token but signal tokens. The secret is nowhere: `selector` finds the row, `hash` is SHA-256 of the whole token. */
export interface TokensTable {
  id: Generated<number>;
  kind: TokenKind;
  /** Of a personal token its description, unique per user; of a session its selector. */
  name: string;
  selector: string;
  hash: string;
  projects: Generated<string[]>;
  environment: string | null;
  user_id: number | null;
  expires_at: Date | null;
  created_at: Generated<Date>;
  seen_at: Date | null;
}

/** The names by which living people log in, in lower case; kept by a trigger on `users`. */
export interface LoginNamesTable {
  name: string;
  user_id: number;
}

/** Selectors of deleted API tokens. */
export interface RetiredTokensTable {
  selector: string;
  retired_at: Generated<Date>;
}

/** One-time tokens by which a password is chosen. */
export interface PasswordResetsTable {
  user_id: number;
  selector: string;
  hash: string;
  created_by: string;
  created_at: Generated<Date>;
  expires_at: Date;
}

export interface GroupsTable {
  id: Generated<number>;
  name: string;
  description: string | null;
  mappings_sso: Generated<string[]>;
  root_role: number | null;
  created_by: string | null;
  created_at: Generated<Date>;
}

export interface GroupUsersTable {
  group_id: number;
  user_id: number;
  joined_at: Generated<Date>;
  created_by: string | null;
}

export interface ProjectUserRolesTable {
  project: string;
  user_id: number;
  role_id: number;
  added_at: Generated<Date>;
}

export interface ProjectGroupRolesTable {
  project: string;
  group_id: number;
  role_id: number;
  added_at: Generated<Date>;
}

/** Counted attempts; columns are rate-limiter-flexible's, `expire` in milliseconds of the Unix epoch. */
export interface RateLimitsTable {
  key: string;
  points: number;
  expire: number | null;
}

export interface AccountsTables extends SharedTables {
  users: UsersTable;
  roles: RolesTable;
  role_permissions: RolePermissionsTable;
  tokens: TokensTable;
  login_names: LoginNamesTable;
  retired_tokens: RetiredTokensTable;
  password_resets: PasswordResetsTable;
  groups: GroupsTable;
  group_users: GroupUsersTable;
  project_user_roles: ProjectUserRolesTable;
  project_group_roles: ProjectGroupRolesTable;
  rate_limits: RateLimitsTable;
}
