/**
 * The version of the public product that this API reports. SDKs, Edge and scripts choose their requests by it. Signals
 * need 5.11 or newer, and the POST search of events, which is served here, was removed in 7.0. 6.10.0 is the last minor
 * version that has both.
 */
export const compatibleVersion = '6.10.0';
