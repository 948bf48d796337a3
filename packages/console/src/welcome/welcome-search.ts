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

/** Takes what it knows from an address. */
export function parseWelcomeSearch(search: Record<string, unknown>): WelcomeSearch {
  const text = (name: string) => {
    const value = search[name];
    return typeof value === 'string' || typeof value === 'number' ? { [name]: `${value}` } : {};
  };
  return {
    ...text('project'),
    ...text('flag'),
    ...text('environment'),
    ...text('token'),
    ...(sdkIds.includes(search.sdk as SdkId) && { sdk: search.sdk as SdkId }),
  };
}
