import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { serviceNames } from './services.ts';

// Behaves towards the launcher like a service. It answers on its ports, writes the first admin's login if there is none
// and no password is configured, records its end in a file, and exits at GET /die. It is degraded while its folder has
// a file of that name.
const service = `
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
const name = path.basename(import.meta.dirname);
const note = (what: string) => appendFileSync(path.join(import.meta.dirname, '../../ends'), name + ' ' + what + '\\n');
const listen = (host: string | undefined, port: string | undefined) => port && createServer((request, response) => {
  if (request.url === '/die') process.exit(5);
  const degraded = existsSync(path.join(import.meta.dirname, 'degraded'));
  response.end(JSON.stringify({ pid: process.pid, ...(degraded && { parts: { key: { degraded: 'the key is lost' } } }) }));
}).listen(Number(port), host);
const login = process.env.INITIAL_ADMIN_PASSWORD_FILE;
if (login && !process.env.UNLEASH_DEFAULT_ADMIN_PASSWORD && !existsSync(login)) writeFileSync(login, '{"username":"admin","password":"stand-in-password"}');
listen(process.env.HEALTH_HOST, process.env.HEALTH_PORT);
listen(process.env.HOST, process.env.PORT);
console.log(JSON.stringify({ level: 40, msg: 'not ready yet' }));
process.on('SIGTERM', () => { note('stopped'); process.exit(0); });
process.on('disconnect', () => { note('left alone'); process.exit(0); });
`;

export function buildStandInInstallation(folder: string, migrate = ''): void {
  mkdirSync(path.join(folder, 'scripts'), { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(path.join(folder, 'scripts/migrate.ts'), migrate);
  for (const name of serviceNames) {
    mkdirSync(path.join(folder, 'services', name), { recursive: true });
    writeFileSync(path.join(folder, 'services', name, 'main.ts'), service);
  }
}
