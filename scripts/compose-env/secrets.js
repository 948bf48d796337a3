// @ts-check
import { randomBytes } from 'node:crypto';

// 256 bits.
const token = () => randomBytes(32).toString('hex');

/** @type {[RegExp, () => string][]} */
const generators = [
  // They become parts of URLs.
  [/_PASSWORD$/, () => randomBytes(24).toString('base64url')],
  [/^INIT_ADMIN_API_TOKENS$/, () => `*:*.${token()}`],
  [/^INIT_(CLIENT|FRONTEND)_API_TOKENS$/, () => `*:development.${token()}`],
  [/^(ACCOUNTS|INTEGRATIONS)_ENCRYPTION_KEY$/, () => randomBytes(32).toString('base64')],
];

/**
 * A new secret for the setting: a password, tokens or a key. Null if the name is of none that this file knows.
 *
 * @param {string} name
 * @returns {string | null}
 */
export function newSecret(name) {
  const [, generate] = generators.find(([pattern]) => pattern.test(name)) ?? [];
  return generate?.() ?? null;
}

/** Secrets without a default in the compose file, whose containers do not start without them. */
const required = ['GRAFANA_ADMIN_PASSWORD'];

/**
 * A secret for each variable that the compose file reads with a default that is one: a password, token or key. And for
 * those that it requires.
 *
 * @param {string} compose
 * @returns {Map<string, string>}
 */
export function secretsFor(compose) {
  const names = [...compose.matchAll(/\$\{(\w+):-[^}]/g)].map(([, name]) => /** @type {string} */ (name));
  names.push(...required.filter((name) => compose.includes(`\${${name}:-}`)));
  const secrets = new Map();
  for (const name of names.filter((name) => /(PASSWORD|TOKENS?|KEYS?|SECRET)$/.test(name))) {
    const secret = newSecret(name);
    if (secret === null)
      throw new Error(`docker-compose.yml has a default for ${name}, and there is no generator for it`);
    if (!secrets.has(name)) secrets.set(name, secret);
  }
  return secrets;
}
