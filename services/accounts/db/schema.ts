import type { Generated, SharedTables } from '@yardarm/shared/db';

/** People and service accounts: one id space, since events and collaborators name either by a user id. */
export interface UsersTable {
  id: Generated<number>;
  kind: 'user' | 'service-account';
  name: string | null;
  username: string | null;
  email: string | null;
  root_role: number;
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
  kind: 'client' | 'frontend' | 'admin' | 'personal';
  /** Of a personal token its description, unique per user. */
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

export interface AccountsTables extends SharedTables {
  users: UsersTable;
  roles: RolesTable;
  role_permissions: RolePermissionsTable;
  tokens: TokensTable;
}
