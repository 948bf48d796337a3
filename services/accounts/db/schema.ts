import type { TokenKind } from '@yardarm/shared/contracts/accounts';
import type { Generated, SharedTables } from '@yardarm/shared/db';

/** People and service accounts share one id space: events and project members name either by a user id. */
export interface UsersTable {
  id: Generated<number>;
  kind: 'user' | 'service-account';
  name: string | null;
  username: string | null;
  email: string | null;
  root_role: number;
  /** argon2id in PHC form; null for service accounts and for people without a password. */
  password_hash: string | null;
  must_change_password: Generated<boolean>;
  /** Failed logins since the last successful one. */
  login_attempts: Generated<number>;
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
  /** The environment for which the permission holds; null for every one. */
  environment: string | null;
}

/** All tokens except signal tokens. `selector` finds the row, `hash` is SHA-256 of the whole token. */
export interface TokensTable {
  id: Generated<number>;
  kind: TokenKind;
  /** A personal token has its description, unique per user; a session has its selector. */
  name: string;
  selector: string;
  hash: string;
  projects: Generated<string[]>;
  environment: string | null;
  user_id: number | null;
  expires_at: Date | null;
  created_at: Generated<Date>;
  seen_at: Date | null;
  /** The encrypted secret of an SDK token that can be read again, and the id of its key; else both are null. */
  sealed_secret: Generated<string | null>;
  sealed_key: Generated<string | null>;
}

/** The login names, in lower case, of people who are not deleted. A trigger on `users` maintains them. */
export interface LoginNamesTable {
  name: string;
  user_id: number;
}

export interface RetiredTokensTable {
  selector: string;
  retired_at: Generated<Date>;
}

/** SDK tokens whose environment was deleted. They read nothing. */
export interface OrphanedTokensTable {
  /** The id that the token had in `tokens`. */
  id: number;
  kind: 'client' | 'frontend';
  name: string;
  selector: string;
  hash: string;
  /** Those of the token before: an admin of its project may delete it. */
  projects: string[];
  expires_at: Date | null;
  orphaned_at: Generated<Date>;
}

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

/** The known incarnation of a project or environment of flags. Roles and tokens that name it belong to it. */
export interface IncarnationsTable {
  kind: 'project' | 'environment';
  id: string;
  created_at: Date;
  is_deleted: Generated<boolean>;
}

/** Counted attempts. The columns are those of rate-limiter-flexible; `expire` is in milliseconds since the epoch. */
export interface RateLimitsTable {
  key: string;
  points: number;
  expire: number | null;
}

export interface BannersTable {
  id: Generated<number>;
  message: string;
  enabled: boolean;
  variant: 'info' | 'warning' | 'error' | 'success';
  sticky: boolean;
  icon: string | null;
  link: string | null;
  link_text: string | null;
  dialog_title: string | null;
  dialog: string | null;
  created_at: Generated<Date>;
}

export interface SeenSplashesTable {
  user_id: number;
  splash_id: string;
  seen_at: Generated<Date>;
}

export interface FeedbackTable {
  user_id: number;
  feedback_id: string;
  never_show: boolean;
  given: Date | null;
}

export interface SavedViewsTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  project: string | null;
  query: string;
  created_at: Generated<Date>;
}

export interface SettingsTable {
  name: string;
  /** Null for the default. */
  content: object | null;
  revision: Generated<number>;
  changed_at: Generated<Date>;
  changed_by: number | null;
}

export interface AccountsTables extends SharedTables {
  users: UsersTable;
  roles: RolesTable;
  role_permissions: RolePermissionsTable;
  tokens: TokensTable;
  login_names: LoginNamesTable;
  retired_tokens: RetiredTokensTable;
  orphaned_tokens: OrphanedTokensTable;
  password_resets: PasswordResetsTable;
  groups: GroupsTable;
  group_users: GroupUsersTable;
  incarnations: IncarnationsTable;
  project_user_roles: ProjectUserRolesTable;
  project_group_roles: ProjectGroupRolesTable;
  rate_limits: RateLimitsTable;
  banners: BannersTable;
  seen_splashes: SeenSplashesTable;
  feedback: FeedbackTable;
  saved_views: SavedViewsTable;
  settings: SettingsTable;
}
