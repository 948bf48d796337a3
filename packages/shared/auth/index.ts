export { can, type Place, requirePermission } from './can.ts';
export { isSameHash, makeToken, type PresentedToken, readToken, tokenOfHeader } from './token.ts';
