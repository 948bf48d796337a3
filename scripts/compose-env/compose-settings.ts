import type { Settings } from '@yardarm/shared/config';

const begin = '      # All other settings of this service. `npm run contracts` writes them.\n';
const end = '      # End of all other settings.\n';

/**
 * A prefix would need other users of NATS, a container keeps no file for the first password, and one name in traces
 * would be that of all services.
 */
const notInCompose = ['YARDARM_PREFIX', 'INITIAL_ADMIN_PASSWORD_FILE', 'OTEL_SERVICE_NAME'];

/**
 * The text of docker-compose.yml with each setting of each service. A setting with a value there stays as it is. The
 * block between `begin` and `end` names the others: without a value a container gets that of .env or the environment.
 */
export function withSettings(composeFile: string, services: Readonly<Record<string, Settings>>): string {
  const common = partOf(composeFile, 'x-environment: &environment\n', '\n\n');
  return Object.entries(services).reduce((text, [service, settings]) => {
    const own = partOf(text, `\n  ${service}:\n`, begin);
    const block = partOf(text.slice(text.indexOf(own)), begin, end);
    const isLeftOut = (name: string) =>
      notInCompose.includes(name) || new RegExp(`^ +${name}:`, 'm').test(common + own);
    const names = Object.keys(settings).filter((name) => !isLeftOut(name));
    return text.replace(own + begin + block, () => `${own}${begin}${names.map((name) => `      ${name}:\n`).join('')}`);
  }, composeFile);
}

/** What is between two texts that have to be there. */
function partOf(text: string, from: string, to: string): string {
  const start = text.indexOf(from);
  const stop = text.indexOf(to, start + from.length);
  if (start === -1 || stop === -1)
    throw new Error(`docker-compose.yml lacks ${JSON.stringify(start === -1 ? from : to)}`);
  return text.slice(start + from.length, stop);
}
