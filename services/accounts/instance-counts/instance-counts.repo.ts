import type { AccountsCounts } from '@yardarm/shared/contracts/accounts';
import { type Kysely, sql } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { viewerRoleId } from '../roles/role.ts';

const activeSince = (days: number) =>
  sql`count(*) filter (where seen_at > now() - make_interval(days => ${days}::integer))`;

const tokensOf = (kind: string) => sql`(select count(*) from tokens where kind = ${kind})`;

export async function findCounts(db: Kysely<AccountsTables>): Promise<AccountsCounts> {
  const { rows } = await sql<AccountsCounts>`
    select
      count(*)::integer as users,
      json_build_object(
        'last7', ${activeSince(7)}, 'last30', ${activeSince(30)}, 'last60', ${activeSince(60)}, 'last90', ${activeSince(90)}
      ) as "activeUsers",
      (count(*) filter (where root_role = ${viewerRoleId}))::integer as "readOnlyUsers",
      (
        select count(*)::integer from users where kind = 'service-account' and deleted_at is null
      ) as "serviceAccounts",
      (select count(*)::integer from roles) as roles,
      (select count(*)::integer from roles where type = 'root-custom') as "customRootRoles",
      (
        select count(*)::integer from roles
        where type = 'root-custom' and (
          exists (select from users where root_role = roles.id and deleted_at is null)
          or exists (select from groups where root_role = roles.id)
        )
      ) as "customRootRolesInUse",
      (select count(*)::integer from groups) as groups,
      json_build_object(
        'admin', ${tokensOf('admin')}, 'client', ${tokensOf('client')}, 'frontend', ${tokensOf('frontend')}
      ) as "apiTokens"
    from users where kind = 'user' and deleted_at is null`.execute(db);
  return rows[0]!;
}
