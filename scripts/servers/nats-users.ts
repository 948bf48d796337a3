import { natsPermissions, natsUser } from '@yardarm/shared/bus/permissions';
import { type ServiceName, serviceNames } from '@yardarm/shared/contracts';

/** JSON strings are valid in the configuration language of NATS, also with quotes and backslashes. */
export const confText = (value: string) => JSON.stringify(value);

function userOf(service: ServiceName, prefix: string, user: string, password: string): string {
  const { publish, subscribe } = natsPermissions(service, prefix);
  const list = (subjects: string[]) => subjects.map((subject) => `          ${confText(subject)}`).join('\n');
  return `    {
      user: ${confText(user)}
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
  const users = serviceNames.map((service) => userOf(service, prefix, natsUser(service, prefix), passwordOf(service)));
  return `authorization: {
  users: [
${more}${users.join('')}  ]
}
`;
}

export interface UsersFileOptions {
  /** A second user for each service, with which a password changes while services are connected. */
  hasSecondUsers?: boolean;
  /** The file in which the server finds the passwords at each reload. Without it they are in its environment. */
  passwordsFile?: string;
}

/** The name of the second user of a service. */
export function secondNatsUser(service: ServiceName, prefix: string): string {
  return `${natsUser(service, prefix)}-2`;
}

const passwordVariable = (service: ServiceName) => `$${service.toUpperCase()}_NATS_PASSWORD`;

/** The text of a file for the configuration of any server. */
export function natsUsersFile(
  prefix: string,
  { hasSecondUsers = false, passwordsFile }: UsersFileOptions = {},
): string {
  const second = serviceNames.map((service) =>
    userOf(service, prefix, secondNatsUser(service, prefix), `${passwordVariable(service)}_2`),
  );
  const users = natsUsers(prefix, passwordVariable, hasSecondUsers ? second.join('') : '');
  return `# The users of NATS, ${hasSecondUsers ? 'two' : 'one'} for each service: the output of \`npm run nats-config\`, which is made from the contracts. Include
# it in the configuration of a server. ${
    passwordsFile === undefined
      ? `The passwords are in the server's environment, in double quotes, because it would
# read digits alone as a number: FLAGS_NATS_PASSWORD='"..."'.
`
      : `The passwords are in the file below, in double quotes, because the server would
# read digits alone as a number: FLAGS_NATS_PASSWORD: "..."
include ${confText(passwordsFile)}
`
  }${users}`;
}
