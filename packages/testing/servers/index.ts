export type { TestServers } from './test-servers.ts';
export { startTestServers } from './test-servers.ts';
