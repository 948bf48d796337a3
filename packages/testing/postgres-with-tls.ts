import { chmodSync, chownSync, copyFileSync } from 'node:fs';
import path from 'node:path';
import { serverAccount } from '../../scripts/servers/account.ts';
import { startPostgres } from '../../scripts/servers/postgres.ts';
import { query } from './databases.ts';

interface Certificate {
  certFile: string;
  keyFile: string;
}

/** A Postgres of one test that offers TLS. */
export interface PostgresWithTls {
  /** The superuser's URL. */
  url: string;
  /** New connections get another certificate, soon after it resolves. */
  use(certificate: Certificate): Promise<void>;
  stop(): Promise<void>;
}

/** Its files are in the folder. */
export async function startPostgresWithTls(folder: string, certificate: Certificate): Promise<PostgresWithTls> {
  const [certFile, keyFile] = [path.join(folder, 'used.crt'), path.join(folder, 'used.key')];
  const account = serverAccount();
  function copy(from: Certificate): void {
    copyFileSync(from.certFile, certFile);
    copyFileSync(from.keyFile, keyFile);
    // Postgres reads them as its own user, and refuses a key that others may read.
    for (const file of [certFile, keyFile]) if (account) chownSync(file, account.uid, account.gid);
    chmodSync(keyFile, 0o600);
  }
  chmodSync(folder, 0o755);
  copy(certificate);
  const postgres = await startPostgres({
    ...{ dataDir: path.join(folder, 'postgres'), durable: false, temporary: true },
    settings: ['ssl=on', `ssl_cert_file=${certFile}`, `ssl_key_file=${keyFile}`],
  });
  return {
    url: postgres.url,
    async use(other) {
      copy(other);
      await query(postgres.url, 'select pg_reload_conf()');
    },
    stop: postgres.stop,
  };
}
