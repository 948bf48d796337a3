import { expect, test } from 'vitest';
import { z } from 'zod';
import { withSettings } from './compose-settings.ts';

const file = (names: string) => `x-environment: &environment
  LOG_LEVEL: info

services:
  flags:
    environment:
      <<: *environment
      DATABASE_URL: *flags-database
      # All other settings of this service. \`npm run contracts\` writes them.
${names}      # End of all other settings.
    depends_on: *needs-database

volumes:
`;
const settings = Object.fromEntries(
  ['LOG_LEVEL', 'DATABASE_URL', 'YARDARM_PREFIX', 'NEW_LIMIT', 'OTHER_LIMIT'].map((name) => [name, z.string()]),
);

test('a service gets each setting that has no value, and loses those that it no longer has', () => {
  const written = file('      NEW_LIMIT:\n      OTHER_LIMIT:\n');
  expect(withSettings(file('      OLD_LIMIT:\n'), { flags: settings })).toBe(written);
  expect(withSettings(written, { flags: settings })).toBe(written);
});

test('a file without the block of a service is refused', () => {
  expect(() => withSettings(file(''), { signals: settings })).toThrow('docker-compose.yml lacks "\\n  signals:\\n"');
});
