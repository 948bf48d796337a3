import { isSecret, type Settings } from '@yardarm/shared/config';
import { type Container, type KubeObject, nameOf, podOf, serviceOf, workloadsOf } from '../objects.ts';

/**
 * What scripts/migrate.ts and scripts/after-restore.ts read: the owner of the database, the login and the owner of each
 * schema, and the folder of heads.
 */
const commandSetting =
  /^(((ACCOUNTS|EVENTS|FLAGS|INTEGRATIONS|SIGNALS)_(OWNER_)?)?DATABASE_URL_FILE|EVENTS_HEADS_DIR)$/;

/** Variables and keys of ConfigMaps that are no setting of the service, or have a value that it refuses. */
export function settingProblems(
  objects: readonly KubeObject[],
  settings: Readonly<Record<string, Settings>>,
): string[] {
  return workloadsOf(objects).flatMap((workload) =>
    podOf(workload).containers.flatMap((container) => {
      const variables = variablesOf(container, objects);
      const service = serviceOf(container);
      if (service !== null) return variables.flatMap((one) => problemOf(one, settings[service]!, container)).map(named);
      const isCommand = container.args?.[0]?.startsWith('scripts/') === true;
      const unknown = isCommand ? variables.filter(([name]) => !commandSetting.test(name)) : [];
      return unknown.map(([name]) => named(`no setting of a command: ${name}`));

      function named(problem: string) {
        return `${nameOf(workload)}: ${problem}`;
      }
    }),
  );
}

/** The variables of a container with those of its ConfigMaps, which are among the objects. */
export function variablesOf({ env = [], envFrom = [] }: Container, objects: readonly KubeObject[]): [string, string][] {
  const maps = envFrom.map(({ configMapRef }) => configMapRef?.name);
  const used = objects.filter(({ kind, metadata }) => kind === 'ConfigMap' && maps.includes(metadata.name));
  return [
    ...env.map(({ name, value = '' }): [string, string] => [name, value]),
    ...used.flatMap(({ data = {} }) => Object.entries(data)),
  ];
}

/**
 * A secret setting is in the file that the setting with `_FILE` behind its name names. Other files are in a volume too,
 * and not on this machine.
 */
function problemOf([name, value]: [string, string], settings: Settings, { volumeMounts = [] }: Container): string[] {
  const isSecretFile = !(name in settings) && name.endsWith('_FILE');
  const schema = settings[isSecretFile ? name.slice(0, -'_FILE'.length) : name];
  if (schema === undefined || (isSecretFile && !isSecret(schema))) return [`no setting: ${name}`];
  if (!name.endsWith('_FILE')) return schema.safeParse(value).success ? [] : [`a wrong value of ${name}`];
  const isMounted = volumeMounts.some(({ mountPath }) => value.startsWith(`${mountPath}/`));
  return isMounted ? [] : [`${name} is in no volume: ${value}`];
}
