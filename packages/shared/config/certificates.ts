import { X509Certificate } from 'node:crypto';
import { readSettingFile, SettingFileError } from './setting-file.ts';

const certificates = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----.*?-----END (?:TRUSTED )?CERTIFICATE-----/gs;

/**
 * What is wrong with a file of the certificates of authorities. Node accepts one without any certificate, and then
 * trusts no server. Null when each certificate of the file can be read, and it has one.
 */
export function certificatesProblem(file: string): string | null {
  try {
    const found = readSettingFile(file).match(certificates) ?? [];
    if (found.length === 0) return 'has no certificate in PEM';
    for (const each of found) new X509Certificate(each);
    return null;
  } catch (error) {
    return error instanceof SettingFileError ? error.message : 'has a certificate that cannot be read as PEM';
  }
}
