// Runs before the scripts of a page. `bench` is what the bench asks for; all its times are in milliseconds.
(() => {
  /** Calls back when the present state of the page is painted. */
  const painted = (callback) =>
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = callback;
      port2.postMessage(null);
    });

  /** Calls back once a condition holds, which is asked at each change of the page. */
  const once = (holds, callback) => {
    const check = () => {
      if (!holds()) return;
      observer.disconnect();
      callback();
    };
    const observer = new MutationObserver(check);
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    check();
  };

  const shows = (text) => document.body?.textContent.includes(text) ?? false;

  globalThis.bench = {
    keys: [],
    tasks: [],
    /** When the page shows the text, since its navigation began. */
    untilShown: (text) =>
      new Promise((resolve) =>
        once(
          () => shows(text),
          () => painted(() => resolve(performance.now())),
        ),
      ),
    /** When the page shows the text, by the clock. */
    shownAt: (text) =>
      new Promise((resolve) =>
        once(
          () => shows(text),
          () => painted(() => resolve(Date.now())),
        ),
      ),
    /** From the next press of the element to the paint of its other state. */
    untilSwitched: (element) =>
      new Promise((resolve) => {
        const before = element.getAttribute('aria-checked');
        element.addEventListener(
          'click',
          ({ timeStamp }) =>
            once(
              () => element.getAttribute('aria-checked') !== before,
              () => painted(() => resolve(performance.now() - timeStamp)),
            ),
          { once: true, capture: true },
        );
      }),
    /** From the next input to the paint of the only row that it leaves. */
    untilFound: (text) =>
      new Promise((resolve) =>
        addEventListener(
          'input',
          ({ timeStamp }) =>
            once(
              () => document.querySelectorAll('main [role="switch"]').length < 8 && shows(text),
              () => painted(() => resolve(performance.now() - timeStamp)),
            ),
          { once: true, capture: true },
        ),
      ),
  };

  addEventListener(
    'keydown',
    ({ timeStamp }) => painted(() => globalThis.bench.keys.push(performance.now() - timeStamp)),
    { capture: true },
  );
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.bench.tasks.push(duration);
  }).observe({ type: 'longtask' });
})();
