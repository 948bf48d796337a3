import { type SdkId, sdkIds } from '../sdks/snippets.ts';

/** How far somebody is, as the address of the page has it. The token itself is nowhere but on the page. */
export interface WelcomeSearch {
  project?: string;
  flag?: string;
  environment?: string;
  sdk?: SdkId;
  /** The name of the token that the SDK has. */
  token?: string;
}

/** What the API accepts as a name of a flag. Programs that are copied from the page contain it. */
const urlFriendly = /^[\w.!~*'()-]+$/;

/** Takes what it knows from an address. */
export function parseWelcomeSearch(search: Record<string, unknown>): WelcomeSearch {
  const text = (property: string) => {
    const value = search[property];
    return ['string', 'number'].includes(typeof value) ? { [property]: `${value}` } : {};
  };
  const name = (property: string) => (urlFriendly.test(`${search[property]}`) ? text(property) : {});
  return {
    ...name('project'),
    ...name('flag'),
    ...name('environment'),
    ...text('token'),
    ...(sdkIds.includes(search.sdk as SdkId) && { sdk: search.sdk as SdkId }),
  };
}
