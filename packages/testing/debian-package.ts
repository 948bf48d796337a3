import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Seconds that apt-get waits for another apt-get, which may be installing a package as well. */
const aptGet = ['-qq', '-o', 'DPkg::Lock::Timeout=300'];

/** The first of the files that exists on this machine. As root on Debian or Ubuntu the package is installed. */
export function installedFile(files: readonly string[], debianPackage: string): string | undefined {
  const installed = () => files.find((file) => existsSync(file));
  if (installed() === undefined && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    execFileSync('apt-get', [...aptGet, 'update'], { stdio: 'ignore' });
    execFileSync('apt-get', [...aptGet, 'install', '-y', '--no-install-recommends', debianPackage], {
      stdio: 'ignore',
    });
  }
  return installed();
}
