import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

/**
 * A person logs in by username or by e-mail, so no name of one person may be the username or e-mail of another: the
 * later person could take over the login. A unique index cannot cover two columns, so a trigger maintains the names in
 * a table of their own. It reports a violation with the constraint of the column at fault.
 */
export const loginNames: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = (await sql<{ schema: string }>`select current_schema() as schema`.execute(db)).rows[0]!;
    await sql`
      create table login_names (
        name text not null constraint login_names_pkey primary key,
        user_id integer not null constraint login_names_user_id_fkey references users on delete cascade
      )`.execute(db);
    await sql`create index login_names_user_id_idx on login_names (user_id)`.execute(db);
    // A name that two people share goes to the older account. From now on only that one can log in with it.
    await sql`
      insert into login_names (name, user_id)
      select given.name, min(users.id) from users, unnest(array[lower(username), lower(email)]) as given (name)
      where kind = 'user' and deleted_at is null and given.name is not null
      group by given.name`.execute(db);
    await sql`
      create function keep_login_names() returns trigger
      language plpgsql set search_path = ${sql.id(schema)}, pg_temp as $$
      begin
        delete from login_names where user_id = new.id;
        if new.kind <> 'user' or new.deleted_at is not null then
          return null;
        end if;
        -- Each waits for whoever is just taking the same name.
        insert into login_names select lower(new.username), new.id where new.username is not null on conflict do nothing;
        if exists (select from login_names where name = lower(new.username) and user_id <> new.id) then
          raise unique_violation using constraint = 'users_username_key', message = 'the username is a login name of somebody else';
        end if;
        insert into login_names select lower(new.email), new.id where new.email is not null on conflict do nothing;
        if exists (select from login_names where name = lower(new.email) and user_id <> new.id) then
          raise unique_violation using constraint = 'users_email_key', message = 'the e-mail is a login name of somebody else';
        end if;
        return null;
      end $$`.execute(db);
    await sql`
      create trigger users_login_names after insert or update of username, email, deleted_at on users
        for each row execute function keep_login_names()`.execute(db);
  },
};
