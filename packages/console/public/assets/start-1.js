// Runs before the files of the build, whose names differ from build to build. While two builds answer at one address, a
// page of one may name files that only the other has: the page is then loaded again, and in the end says why it is
// empty. Caches keep this file for good, so a change of it needs another name.
(() => {
  const storageKey = 'yardarm-start-attempts';
  const mostAttempts = 6;

  function startAgain() {
    const attempts = Number(sessionStorage.getItem(storageKey)) + 1;
    if (attempts < mostAttempts) {
      sessionStorage.setItem(storageKey, String(attempts));
      setTimeout(() => location.reload(), 250 * attempts);
      return;
    }
    sessionStorage.removeItem(storageKey);
    const text = document.createElement('p');
    text.className = 'not-started';
    text.setAttribute('role', 'alert');
    text.textContent = 'The console could not be loaded. A new version is being installed, or the server is away. ';
    const link = document.createElement('a');
    link.href = location.href;
    link.textContent = 'Load it again';
    text.append(link);
    document.body.append(text);
  }

  let isFailed = false;
  addEventListener(
    'error',
    ({ target }) => {
      // A style of the page holds back its script, so it has failed before the console starts.
      const isStarted = 'isStarted' in document.documentElement.dataset;
      const isFile = target instanceof HTMLScriptElement || target instanceof HTMLLinkElement;
      if (!isFile || isStarted || isFailed) return;
      isFailed = true;
      startAgain();
    },
    true,
  );
  addEventListener('load', () => {
    if (!isFailed) sessionStorage.removeItem(storageKey);
  });
})();
