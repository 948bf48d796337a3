/** How many signals an endpoint accepts. */
export function rateInWords(ratePerSecond: number | null): string {
  if (ratePerSecond === null) return 'accepts as many signals in a second as the service is set to';
  if (ratePerSecond === 1) return 'accepts one signal in a second';
  return `accepts ${ratePerSecond.toLocaleString()} signals in a second`;
}
