/**
 * In the browser: what the page shows, and what hostile texts have done to it. A text begins with « and ends with ¶.
 * Each other text has to read from left to right, wherever it stands.
 */
export function lookInPage() {
  const faults = [];
  if ('injected' in globalThis) faults.push('a script of a text has run');
  for (const element of document.querySelectorAll(
    '[data-injected], [onerror], [onload], main script, iframe, object',
  )) {
    faults.push(`an element of a text: ${element.outerHTML.slice(0, 80)}`);
  }
  for (const link of document.querySelectorAll('a[href], area[href]')) {
    const { protocol, host } = new URL(link.href);
    const isElsewhere = host !== location.host;
    if (!['http:', 'https:'].includes(protocol)) faults.push(`a link to ${link.href}`);
    if (isElsewhere && link.getAttribute('href').startsWith('/')) faults.push(`a path that leads to ${link.href}`);
    if (isElsewhere && !link.relList.contains('noreferrer')) faults.push(`a link that tells ${host} of this page`);
  }
  faults.push(...findReversed(), ...findWide());
  const fields = [...document.querySelectorAll('input, textarea')].map(({ value }) => value);
  const names = [...document.querySelectorAll('[aria-label]')].map((element) => element.getAttribute('aria-label'));
  return { faults, shown: [document.body.innerText, ...fields, ...names].join('\n') };

  function findReversed() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const reversed = [];
    let isHostile = false;
    let block = null;
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const present = blockOf(node.parentElement);
      // A page may show the begin of a text alone.
      if (present !== block) isHostile = false;
      block = present;
      let last = null;
      for (let place = 0; place < node.data.length; place++) {
        const character = node.data[place];
        if (character === '«') isHostile = true;
        const box = !isHostile && /[A-Za-z]/.test(character) ? boxOf(node, place) : null;
        if (character === '¶') isHostile = false;
        if (box && last && box.top === last.top && box.left < last.left) {
          reversed.push(`reversed in ${present.tagName} ${present.className}: ${node.data.slice(-40)}`);
          break;
        }
        last = box;
      }
    }
    return reversed;
  }

  function findWide() {
    const { scrollWidth } = document.documentElement;
    if (scrollWidth <= innerWidth) return [];
    const wide = [...document.querySelectorAll('body *')].filter(
      (element) => element.getBoundingClientRect().right > innerWidth,
    );
    // The last of them is the innermost one of the last part of the page.
    const rights = wide.map((element) => `${element.localName} ${Math.round(element.getBoundingClientRect().right)}`);
    return [
      `it scrolls sideways, ${scrollWidth} of ${innerWidth}: ${rights.join(', ')}: ${wide.at(-1)?.outerHTML.slice(0, 200)}`,
    ];
  }

  function blockOf(element) {
    let found = element;
    while (found.parentElement && getComputedStyle(found).display.startsWith('inline')) found = found.parentElement;
    return found;
  }

  function boxOf(node, place) {
    const range = document.createRange();
    range.setStart(node, place);
    range.setEnd(node, place + 1);
    const { top, left, width } = range.getBoundingClientRect();
    return width === 0 ? null : { top, left };
  }
}
