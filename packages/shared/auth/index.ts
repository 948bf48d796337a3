export { can, noAccess, type Place, requirePermission } from './can.ts';
export { networkOf } from './network-of.ts';
export {
  isSameHash,
  makeToken,
  type PresentedToken,
  readToken,
  redactToken,
  selectorsNamed,
  tokenOfHeader,
} from './token.ts';
