export { can, noAccess, type Place, requirePermission } from './can.ts';
export {
  isSameHash,
  makeToken,
  type PresentedToken,
  readToken,
  selectorsNamed,
  shownToken,
  tokenOfHeader,
} from './token.ts';
