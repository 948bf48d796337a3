export type { TestServers } from './running.ts';
export { startTestServers } from './test-servers.ts';
