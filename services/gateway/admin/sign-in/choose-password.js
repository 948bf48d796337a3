// Sets a password with the one-time token in the page's address. Paths are relative: a proxy may add a path prefix.
const form = document.querySelector('form');
const message = document.querySelector('#message');
const error = document.querySelector('#error');
const token = new URLSearchParams(location.search).get('token') ?? '';

// The theme that this browser has chosen in the console.
document.documentElement.dataset.theme = localStorage.getItem('yardarm-theme') ?? 'system';

/** Calls the API. Throws a refusal with a message for the reader of the page. */
async function call(path, options) {
  const answer = await fetch(path, { ...options, credentials: 'omit' }).catch(() => {
    throw new Error('No answer came from the server. Try again.');
  });
  const text = await answer.text();
  if (answer.ok) return text === '' ? undefined : JSON.parse(text);
  if (answer.status === 401) throw new Error('This link was already used or has expired. Ask an admin for a new one.');
  const { message, details = [] } = JSON.parse(text);
  const rules = details.flatMap((detail) => detail.validationErrors ?? []);
  throw new Error(rules.length > 0 ? rules.join('\n') : message);
}

async function show() {
  const { username, email, name } = await call(`auth/reset/validate?token=${encodeURIComponent(token)}`);
  form.elements.username.value = username ?? (email || name);
  // A new user has no tokens.
  document.querySelector('#keep').hidden = location.pathname.endsWith('/new-user');
  form.hidden = false;
  message.textContent = '';
  form.elements.password.focus();
}

async function choose() {
  const { username, password, again, keepPersonalTokens } = form.elements;
  if (password.value !== again.value) throw new Error('The two passwords are not the same.');
  await call('auth/reset/password', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password: password.value, keepPersonalTokens: keepPersonalTokens.checked }),
  });
  form.hidden = true;
  const link = document.createElement('a');
  link.href = './';
  link.textContent = `Log in as ${username.value}`;
  message.replaceChildren('The password is set. ', link);
}

/** Disables the button while `work` runs, and shows its error. */
async function attempt(work, output) {
  const button = form.querySelector('button');
  button.disabled = true;
  error.textContent = '';
  try {
    await work();
  } catch ({ message: text }) {
    output.textContent = text;
  } finally {
    button.disabled = false;
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void attempt(choose, error);
});
void attempt(show, message);
