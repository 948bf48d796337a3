import { natsPermissions, natsUser } from '@yardarm/shared/bus/permissions';
import { type ServiceName, serviceNames } from '@yardarm/shared/contracts';

/** JSON strings are valid in the configuration language of NATS, also with quotes and backslashes. */
export const confText = (value: string) => JSON.stringify(value);

function userOf(service: ServiceName, prefix: string, password: string): string {
  const { publish, subscribe } = natsPermissions(service, prefix);
  const list = (subjects: string[]) => subjects.map((subject) => `          ${confText(subject)}`).join('\n');
  return `    {
      user: ${confText(natsUser(service, prefix))}
      password: ${password}
      permissions: {
        publish: { allow: [
${list(publish)}
        ] }
        subscribe: { allow: [
${list(subscribe)}
        ] }
      }
    }
`;
}

/**
 * The block of a server's configuration with a user for each service, whose permissions follow from the contracts.
 * `passwordOf` returns a password as the configuration has it: in quotes, or as `$VARIABLE`. `more` are users besides.
 */
export function natsUsers(prefix: string, passwordOf: (service: ServiceName) => string, more = ''): string {
  const users = serviceNames.map((service) => userOf(service, prefix, passwordOf(service)));
  return `authorization: {
  users: [
${more}${users.join('')}  ]
}
`;
}

/** The text of a file for the configuration of any server, whose environment has the passwords. */
export function natsUsersFile(prefix: string): string {
  return `# The users of NATS, one for each service: the output of \`npm run nats-config\`, which is made from the contracts. Include
# it in the configuration of a server. The passwords are in the server's environment, in double quotes, because it would
# read digits alone as a number: FLAGS_NATS_PASSWORD='"..."'.
${natsUsers(prefix, (service) => `$${service.toUpperCase()}_NATS_PASSWORD`)}`;
}
