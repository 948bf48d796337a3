/**
 * The version of the public product that clients are told: SDKs, Edge and scripts decide by it what they may ask for. Signals need 5.11
 * or newer, and the POST search of events, which is served, was removed in 7.0: 6.10.0 is the last minor of the major in which both are.
 */
export const compatibleVersion = '6.10.0';

/** Yardarm's own version; the package's. */
export const ownVersion = '0.1.0';
