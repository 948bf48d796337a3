import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A certificate authority of one test, in a folder. */
export interface TestAuthority {
  caFile: string;
  /** Makes a certificate for the names (`DNS:…`, `IP:…`). It is valid for so many days; with -1 it has expired. */
  issue(file: string, names: readonly string[], days?: number): { certFile: string; keyFile: string };
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Throws without the command `openssl`, which docs/testing.md names. */
export function makeAuthority(folder: string, name = 'authority'): TestAuthority {
  mkdirSync(folder, { recursive: true });
  const at = (file: string) => path.join(folder, file);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const [caFile, caKeyFile] = [at(`${name}.crt`), at(`${name}.key`)];
  openssl('req', '-x509', ...newKey, '-keyout', caKeyFile, '-out', caFile, '-subj', `/CN=${name}`, '-days', '2');
  return {
    caFile,
    issue(file, names, days = 1) {
      const [certFile, keyFile, request, extensions] = ['crt', 'key', 'csr', 'ext'].map((end) =>
        at(`${file}.${end}`),
      ) as [string, string, string, string];
      writeFileSync(extensions, `subjectAltName=${names.join(',')}\n`);
      openssl('req', ...newKey, '-keyout', keyFile, '-out', request, '-subj', `/CN=${file}`);
      const signed = ['-CA', caFile, '-CAkey', caKeyFile, '-CAcreateserial', '-extfile', extensions];
      openssl('x509', '-req', '-in', request, ...signed, '-days', String(days), '-out', certFile);
      return { certFile, keyFile };
    },
  };
}
