export { can, requirePermission } from './can.ts';
