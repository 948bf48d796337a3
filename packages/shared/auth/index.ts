export { can, noAccess, type Place, type PlaceOrAnywhere, requirePermission } from './can.ts';
export { networkOf } from './network-of.ts';
export {
  copyOf,
  isSameHash,
  makeToken,
  type PresentedToken,
  possibleSelectors,
  readToken,
  redactToken,
  tokenOfHeader,
} from './token.ts';
