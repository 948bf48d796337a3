import axe, { type Result } from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * What axe-core finds in the page against WCAG 2.2 AA, one text per element. The script is run by the debugger, which
 * the policy of the page does not forbid.
 */
export async function findBarriers(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const run = async (expression: string) => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      ...{ expression, awaitPromise: true, returnByValue: true },
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  try {
    await run(`globalThis.axe === undefined && (() => { ${axe.source} })()`);
    const violations: Result[] = await run(`axe.run(document, {
      resultTypes: ['violations'],
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    }).then(({ violations }) => violations)`);
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${help}. ${failureSummary}`),
    );
  } finally {
    await session.detach();
  }
}
