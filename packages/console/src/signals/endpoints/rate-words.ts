/** How many signals an endpoint accepts. A sentence goes on with it. */
export function rateInWords(ratePerSecond: number | null): string {
  if (ratePerSecond === null) return 'as many signals in a second as the service is set to';
  if (ratePerSecond === 1) return 'at most one signal in a second';
  return `at most ${ratePerSecond.toLocaleString()} signals in a second`;
}
