export { type Keyring, keyringOf, publishedKey, readKey, type Sealed } from './keyring.ts';
