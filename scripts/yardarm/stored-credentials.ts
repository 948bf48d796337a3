import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

interface Credentials {
  adminToken?: string;
  integrationsEncryptionKey?: string;
  accountsEncryptionKey?: string;
}

/** The file in which `npm start` keeps what it has generated. */
export function credentialsFile(dataDir: string): string {
  return path.join(dataDir, 'credentials.json');
}

/** What `npm start` has generated for the installation of this data folder; nothing without one. */
export function storedCredentials(dataDir: string): Credentials {
  const file = credentialsFile(dataDir);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Credentials) : {};
}
