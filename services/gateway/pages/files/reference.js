// Shows the OpenAPI document with Swagger UI, and makes its list of contents searchable.
const reference = document.getElementById('reference');
const contents = document.getElementById('contents');
const search = contents.querySelector('input');
const groups = [...contents.querySelectorAll('details')];

const spec = await (await fetch(reference.dataset.document)).json();
// Swagger UI reads the whole document for each operation that it opens, and examples of errors are two thirds of it.
// The names of its errors stay at each operation.
for (const operation of Object.values(spec.paths).flatMap((methods) => Object.values(methods))) {
  for (const [status, response] of Object.entries(operation.responses)) if (status >= '400') delete response.content;
}

const ui = SwaggerUIBundle({
  domNode: reference,
  spec,
  deepLinking: true,
  docExpansion: 'none',
  // The answers have the schemas where they are used.
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  // Tokens are forgotten with the page.
  persistAuthorization: false,
  // Else it asks another host to check the document.
  validatorUrl: null,
});

// Swagger UI follows the address only when the page begins.
addEventListener('hashchange', () => ui.layoutActions.parseDeepLinkHash(location.hash));

search.addEventListener('input', () => {
  const words = search.value.toLowerCase().split(/\s+/);
  for (const group of groups) {
    const items = [...group.querySelectorAll('li')];
    for (const item of items) {
      const text = `${group.dataset.tag} ${item.textContent}`.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
    }
    group.hidden = items.every(({ hidden }) => hidden);
    group.open = search.value.trim() !== '' && !group.hidden;
  }
});

// Beside the reference there is room for it, above it only while it is used.
const isWide = matchMedia('(min-width: 60rem)');
const unfold = () => {
  contents.open = isWide.matches;
};
isWide.addEventListener('change', unfold);
unfold();
contents.addEventListener('click', ({ target }) => {
  if (target.closest('a') && !isWide.matches) contents.open = false;
});
