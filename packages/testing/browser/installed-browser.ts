import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Seconds that apt-get waits for another apt-get, which may be installing a browser as well. */
const aptGet = ['-qq', '-o', 'DPkg::Lock::Timeout=300'];

/** The browser of this machine, the first of the paths that exists. As root on Debian or Ubuntu it is installed. */
export function installedBrowser(paths: readonly string[], debianPackage: string): string | undefined {
  const installed = () => paths.find((path) => existsSync(path));
  if (installed() === undefined && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    execFileSync('apt-get', [...aptGet, 'update'], { stdio: 'ignore' });
    execFileSync('apt-get', [...aptGet, 'install', '-y', '--no-install-recommends', debianPackage], {
      stdio: 'ignore',
    });
  }
  return installed();
}
