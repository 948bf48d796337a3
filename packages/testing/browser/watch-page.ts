import type { BrowserContext, ConsoleMessage, Page, Response } from 'playwright-core';

/**
 * Notes what a page must not do, as texts:
 *
 *   error: <text>, warning: <text>  A line of its console, also one that the browser writes for a blocked part.
 *   uncaught: <message>             An error that nothing caught.
 *   blocked: <directive> <what>     The policy of the page (CSP) forbids this.
 *   request: <address>              A request to another host.
 *   <status> <method> <path>        An answer from 400.
 */
export function watchPage(page: Page, origin: string, note: (fault: string) => void): void {
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !isOfAnswer(message)) {
      note(`${message.type()}: ${message.text()}`);
    }
  });
  page.on('pageerror', (error) => note(`uncaught: ${error.message}`));
  page.on('request', (request) => {
    const address = new URL(request.url());
    const isLocal = ['data:', 'blob:'].includes(address.protocol) || address.origin === origin;
    if (!isLocal) note(`request: ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) note(faultOf(response));
  });
}

/** Notes what the policy of any page of the context forbids. Browsers do not write all of it to the console. */
export async function watchPolicy(context: BrowserContext, note: (fault: string) => void): Promise<void> {
  await context.exposeFunction('noteBlocked', (blocked: string) => note(`blocked: ${blocked}`));
  await context.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    noteBlocked(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`);
}

/** The browser writes a line for each answer from 400. The answer itself says more. */
const isOfAnswer = (message: ConsoleMessage) =>
  message.text().startsWith('Failed to load resource: the server responded with a status of');

const faultOf = (response: Response) =>
  `${response.status()} ${response.request().method()} ${new URL(response.url()).pathname}`;
