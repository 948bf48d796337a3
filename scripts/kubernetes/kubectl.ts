import { execFileSync } from 'node:child_process';

/**
 * The oldest with which the objects were rendered. Debian 12 has 1.20, whose Kustomize knows no components.
 */
const oldest = { major: 1, minor: 32 };

/** kubectl is missing or too old. The message is a sentence for the operator. */
export class KubectlError extends Error {
  override readonly name = 'KubectlError';
}

/** Throws KubectlError unless kubectl is installed and as new as the rendered objects need. */
export function requireKubectl(command = 'kubectl'): void {
  const advice = `Install kubectl ${oldest.major}.${oldest.minor} or newer, such as the package kubernetes-client of Debian 13.`;
  const { major, minor, text } = versionOf(command, advice);
  if (major > oldest.major || (major === oldest.major && minor >= oldest.minor)) return;
  throw new KubectlError(`kubectl is ${text}, which is too old. ${advice}`);
}

function versionOf(command: string, advice: string) {
  try {
    const output = execFileSync(command, ['version', '--client', '--output=json'], { encoding: 'utf8' });
    const { gitVersion } = (JSON.parse(output) as { clientVersion: { gitVersion: string } }).clientVersion;
    const [, major, minor] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
    return { major: Number(major), minor: Number(minor), text: gitVersion };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new KubectlError(`kubectl is not installed. ${advice}`);
  }
}

/** The objects of a folder with a kustomization, as text. Throws an Error with the message of kubectl. */
export function kustomize(folder: string): string {
  return execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8', maxBuffer: 64_000_000 });
}
