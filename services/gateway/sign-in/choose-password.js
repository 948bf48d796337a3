// Chooses a password by the one-time token of the page's address. Paths are relative: a proxy may serve everything below a path of its own.
const form = document.querySelector('form');
const words = document.querySelector('#words');
const token = new URLSearchParams(location.search).get('token') ?? '';

/** Calls the API; a refusal is thrown in words for whoever reads the page. */
async function call(path, options) {
  const answer = await fetch(path, { ...options, credentials: 'omit' });
  const text = await answer.text();
  if (answer.ok) return text === '' ? undefined : JSON.parse(text);
  if (answer.status === 401)
    throw new Error('This link is no longer good: it was used, or its time has run out. Ask an admin for another.');
  const { message, details = [] } = JSON.parse(text);
  const rules = details.flatMap((detail) => detail.validationErrors ?? []);
  throw new Error(rules.length > 0 ? rules.join('\n') : message);
}

async function show() {
  const { username, email, name } = await call(`auth/reset/validate?token=${encodeURIComponent(token)}`);
  form.elements.username.value = username ?? (email || name);
  form.hidden = false;
  words.textContent =
    'At least ten characters with upper and lower case, a number and a special one; or twenty of any kind.';
}

async function choose() {
  const { username, password, again } = form.elements;
  if (password.value !== again.value) throw new Error('The two passwords are not the same.');
  await call('auth/reset/password', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password: password.value }),
  });
  form.hidden = true;
  words.textContent = `The password is set. Log in as ${username.value} by POST ${new URL('auth/simple/login', location.href)}`;
}

/** One press of the button at a time, and what goes wrong in words. */
async function attempt(work) {
  const button = form.querySelector('button');
  button.disabled = true;
  try {
    await work();
  } catch (error) {
    words.textContent = error.message;
  } finally {
    button.disabled = false;
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void attempt(choose);
});
void attempt(show);
